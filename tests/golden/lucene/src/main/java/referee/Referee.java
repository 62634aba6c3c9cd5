package referee;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** One command a question: tokens, scores, automaton. Answers are JSON lines on standard output. */
public final class Referee {
  static final ObjectMapper JSON = new ObjectMapper();

  private Referee() {}

  public static void main(String[] args) throws Exception {
    try (PrintWriter out = standardOutput()) {
      switch (args.length == 0 ? "" : args[0]) {
        case "tokens" -> tokens(out);
        case "scores" ->
            new Scores(Path.of(args[1]), Similarities.of(args[2]))
                .answer(Path.of(args[3]), Integer.parseInt(args[4]), out);
        case "automaton" -> out.println(JSON.writeValueAsString(Automaton.ofStandardTokenizer()));
        default -> throw new IllegalArgumentException(
            "usage: tokens < TEXTS | scores DOCS SIMILARITY QUERIES K | automaton");
      }
    }
  }

  /** Each line of standard input is a JSON string; each answer an array of its tokens. */
  private static void tokens(PrintWriter out) throws IOException {
    try (Tokens analysis = new Tokens();
        BufferedReader in =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        out.println(JSON.writeValueAsString(analysis.of(JSON.readValue(line, String.class))));
      }
    }
  }

  private static PrintWriter standardOutput() {
    return new PrintWriter(
        new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8), 1 << 16));
  }
}

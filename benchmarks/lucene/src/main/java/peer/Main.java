package peer;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;

/** Two commands: build an index and time it; run queries and time each. Answers are JSON lines. */
public final class Main {
  static final ObjectMapper JSON = new ObjectMapper();
  static final float MU = 2000f;

  private Main() {}

  public static void main(String[] args) throws Exception {
    switch (args.length == 0 ? "" : args[0]) {
      case "build" -> Build.run(Path.of(args[1]), Path.of(args[2]), Integer.parseInt(args[3]));
      case "query" ->
          Queries.run(Path.of(args[1]), Path.of(args[2]), args[3], Integer.parseInt(args[4]));
      default -> throw new IllegalArgumentException(
          "usage: build DOCS INDEX THREADS | query INDEX QUERIES MODE,K[;MODE,K…] ROUNDS");
    }
  }
}

package referee;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.analysis.CharArraySet;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;

/** Tokens of Lucene's StandardAnalyzer without stop words. */
final class Tokens implements Closeable {
  private final StandardAnalyzer analyzer = analyzer();

  static StandardAnalyzer analyzer() {
    return new StandardAnalyzer(CharArraySet.EMPTY_SET);
  }

  List<String> of(String text) throws IOException {
    List<String> tokens = new ArrayList<>();
    try (TokenStream stream = analyzer.tokenStream("text", text)) {
      CharTermAttribute term = stream.addAttribute(CharTermAttribute.class);
      stream.reset();
      while (stream.incrementToken()) {
        tokens.add(term.toString());
      }
      stream.end();
    }
    return tokens;
  }

  @Override
  public void close() {
    analyzer.close();
  }
}

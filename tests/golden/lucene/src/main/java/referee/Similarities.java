package referee;

import org.apache.lucene.search.similarities.AfterEffect;
import org.apache.lucene.search.similarities.AfterEffectB;
import org.apache.lucene.search.similarities.AfterEffectL;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.search.similarities.BasicModel;
import org.apache.lucene.search.similarities.BasicModelG;
import org.apache.lucene.search.similarities.BasicModelIF;
import org.apache.lucene.search.similarities.BasicModelIn;
import org.apache.lucene.search.similarities.BasicModelIne;
import org.apache.lucene.search.similarities.ClassicSimilarity;
import org.apache.lucene.search.similarities.DFRSimilarity;
import org.apache.lucene.search.similarities.LMDirichletSimilarity;
import org.apache.lucene.search.similarities.Normalization;
import org.apache.lucene.search.similarities.NormalizationH1;
import org.apache.lucene.search.similarities.NormalizationH2;
import org.apache.lucene.search.similarities.NormalizationH3;
import org.apache.lucene.search.similarities.NormalizationZ;
import org.apache.lucene.search.similarities.Similarity;

/** Lucene's similarities by a line of words: "2000", "bm25 1.2 0.75", "dfr In L H2 1.0", … */
final class Similarities {
  private Similarities() {}

  static Similarity of(String line) {
    String[] words = line.split(" ");
    return switch (words[0]) {
      case "bm25" -> new BM25Similarity(Float.parseFloat(words[1]), Float.parseFloat(words[2]));
      case "classic" -> new ClassicSimilarity();
      case "dfr" ->
          new DFRSimilarity(
              basic(words[1]), after(words[2]), normalization(words[3], Float.parseFloat(words[4])));
      default -> new LMDirichletSimilarity(Float.parseFloat(words[0]));
    };
  }

  private static BasicModel basic(String name) {
    return switch (name) {
      case "G" -> new BasicModelG();
      case "If" -> new BasicModelIF();
      case "In" -> new BasicModelIn();
      case "Ine" -> new BasicModelIne();
      default -> throw new IllegalArgumentException(name);
    };
  }

  private static AfterEffect after(String name) {
    return switch (name) {
      case "B" -> new AfterEffectB();
      case "L" -> new AfterEffectL();
      default -> throw new IllegalArgumentException(name);
    };
  }

  private static Normalization normalization(String name, float parameter) {
    return switch (name) {
      case "H1" -> new NormalizationH1(parameter);
      case "H2" -> new NormalizationH2(parameter);
      case "H3" -> new NormalizationH3(parameter);
      case "Z" -> new NormalizationZ(parameter);
      case "none" -> new Normalization.NoNormalization();
      default -> throw new IllegalArgumentException(name);
    };
  }
}

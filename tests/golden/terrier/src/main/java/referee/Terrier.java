package referee;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.terrier.matching.models.DPH;
import org.terrier.matching.models.normalisation.NormalisationB;

/**
 * Terrier's scores of single terms. Each line of standard input is a question; each answer a number.
 *
 * <p>"dph TF DL TTF N T" is DPH; "bm25f", then W B AVGDL TF DL for each field, is the
 * frequency of BM25F over all fields, each normalised by its length.
 */
public final class Terrier {
  private Terrier() {}

  public static void main(String[] args) throws Exception {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split(" ");
      double[] values = new double[words.length];
      for (int i = 1; i < words.length; i++) {
        values[i] = Double.parseDouble(words[i]);
      }
      System.out.println(
          words[0].equals("dph")
              ? new OfTerm(values[3], values[4], values[5]).score(values[1], values[2])
              : fields(values));
    }
  }

  /** DPH with given statistics: its own setters want an index. */
  private static final class OfTerm extends DPH {
    OfTerm(double ttf, double n, double tokens) {
      termFrequency = ttf;
      numberOfDocuments = n;
      averageDocumentLength = tokens / n;
      keyFrequency = 1;
    }
  }

  private static double fields(double[] values) {
    double frequency = 0;
    for (int i = 1; i < values.length; i += 5) {
      NormalisationB field = new NormalisationB();
      field.setParameter(values[i + 1]);
      field.setAverageDocumentLength(values[i + 2]);
      frequency += values[i] * field.normalise(values[i + 3], values[i + 4], 0);
    }
    return frequency;
  }
}

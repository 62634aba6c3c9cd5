package peer;

import java.io.IOException;
import java.util.Arrays;
import java.util.Objects;
import org.apache.lucene.index.DocValues;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.search.DoubleValues;
import org.apache.lucene.search.DoubleValuesSource;
import org.apache.lucene.search.Explanation;
import org.apache.lucene.search.IndexSearcher;

/**
 * H21 Eq. 1 as Lucene offers it to users: S = R · (1 + ω_C·C) · (1 + ω_Q·Q), with the first factor
 * looked up by the document's cluster in an array that belongs to the query.
 */
final class Equation1 extends DoubleValuesSource {
  private final double[] clusterFactors;
  private final double qualityWeight;

  Equation1(double[] clusterFactors, double qualityWeight) {
    this.clusterFactors = clusterFactors;
    this.qualityWeight = qualityWeight;
  }

  /** The document factors of one segment; documents must be asked for in ascending order. */
  final class Factors {
    private final NumericDocValues cluster;
    private final NumericDocValues quality;

    Factors(LeafReaderContext context) throws IOException {
      cluster = DocValues.getNumeric(context.reader(), "cluster");
      quality = DocValues.getNumeric(context.reader(), "quality");
    }

    double of(int doc) throws IOException {
      cluster.advanceExact(doc);
      quality.advanceExact(doc);
      double Q = Float.intBitsToFloat((int) quality.longValue());
      return clusterFactors[(int) cluster.longValue()] * (1 + qualityWeight * Q);
    }
  }

  @Override
  public DoubleValues getValues(LeafReaderContext context, DoubleValues scores)
      throws IOException {
    Factors factors = new Factors(context);
    return new DoubleValues() {
      private int doc;

      @Override
      public double doubleValue() throws IOException {
        return scores.doubleValue() * factors.of(doc);
      }

      @Override
      public boolean advanceExact(int target) throws IOException {
        doc = target;
        return scores.advanceExact(target);
      }
    };
  }

  @Override
  public boolean needsScores() {
    return true;
  }

  @Override
  public DoubleValuesSource rewrite(IndexSearcher searcher) {
    return this;
  }

  @Override
  public boolean isCacheable(LeafReaderContext context) {
    return false;
  }

  @Override
  public Explanation explain(LeafReaderContext context, int doc, Explanation score)
      throws IOException {
    double factor = new Factors(context).of(doc);
    return Explanation.match(score.getValue().doubleValue() * factor, "H21 Eq. 1", score);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Equation1 equation
        && qualityWeight == equation.qualityWeight
        && Arrays.equals(clusterFactors, equation.clusterFactors);
  }

  @Override
  public int hashCode() {
    return Objects.hash(Arrays.hashCode(clusterFactors), qualityWeight);
  }

  @Override
  public String toString() {
    return "Equation1(" + qualityWeight + ")";
  }
}

package peer;

import java.io.IOException;
import java.util.Collection;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.search.Collector;
import org.apache.lucene.search.CollectorManager;
import org.apache.lucene.search.FilterLeafCollector;
import org.apache.lucene.search.LeafCollector;
import org.apache.lucene.search.Scorable;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopScoreDocCollector;
import org.apache.lucene.search.TopScoreDocCollectorManager;

/**
 * H21 Eq. 1 the fast way: the terms are scored by Lucene's bulk scorer, and each score is multiplied
 * when it is collected.
 */
final class Equation1Collector implements CollectorManager<Collector, TopDocs> {
  private final TopScoreDocCollector best;
  private final Equation1 equation;

  Equation1Collector(Equation1 equation, int k) {
    this.equation = equation;
    this.best = new TopScoreDocCollectorManager(k, Integer.MAX_VALUE).newCollector();
  }

  @Override
  public Collector newCollector() {
    return new Collector() {
      @Override
      public LeafCollector getLeafCollector(LeafReaderContext context) throws IOException {
        Equation1.Factors factors = equation.new Factors(context);
        return new FilterLeafCollector(best.getLeafCollector(context)) {
          private final Multiplied multiplied = new Multiplied();

          @Override
          public void setScorer(Scorable scorer) throws IOException {
            multiplied.scorer = scorer;
            super.setScorer(multiplied);
          }

          @Override
          public void collect(int doc) throws IOException {
            multiplied.factor = factors.of(doc);
            super.collect(doc);
          }
        };
      }

      @Override
      public ScoreMode scoreMode() {
        return ScoreMode.COMPLETE;
      }
    };
  }

  @Override
  public TopDocs reduce(Collection<Collector> collectors) {
    return best.topDocs();
  }

  private static final class Multiplied extends Scorable {
    private Scorable scorer;
    private double factor;

    @Override
    public float score() throws IOException {
      return (float) (scorer.score() * factor);
    }
  }
}

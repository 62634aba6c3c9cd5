package peer;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.lucene.analysis.CharArraySet;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.index.BinaryDocValues;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.MultiDocValues;
import org.apache.lucene.index.Term;
import org.apache.lucene.queries.function.FunctionScoreQuery;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.search.similarities.LMDirichletSimilarity;
import org.apache.lucene.store.MMapDirectory;

/**
 * Times queries {"id", "text", "cluster_factors", "quality_weight"} (JSON lines) in one thread.
 *
 * <p>A query's time runs from its text to its top documents and scores; looking up their ids is not
 * in it. The first round warms up; each later round gives one time. Modes: plain (LMDirichlet with
 * Lucene's own block-max pruning), bm25 (BM25, pruned in the same way), function (Eq. 1 as a FunctionScoreQuery), collector (Eq. 1 where scores are collected).
 */
final class Queries {
  private record Question(String id, String text, Equation1 equation) {}

  private final StandardAnalyzer analyzer = new StandardAnalyzer(CharArraySet.EMPTY_SET);
  private final IndexSearcher searcher;

  private Queries(IndexSearcher searcher) {
    this.searcher = searcher;
  }

  static void run(Path index, Path file, String tasks, int rounds) throws IOException {
    List<Question> questions = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      questions.add(question(Main.JSON.readTree(line)));
    }
    try (DirectoryReader reader = DirectoryReader.open(new MMapDirectory(index))) {
      IndexSearcher searcher = new IndexSearcher(reader);
      searcher.setQueryCache(null);
      IndexSearcher.setMaxClauseCount(Integer.MAX_VALUE);
      for (String task : tasks.split(";")) {
        String[] parts = task.split(",");
        boolean bm25 = parts[0].equals("bm25");
        searcher.setSimilarity(
            bm25 ? new BM25Similarity() : new LMDirichletSimilarity(Main.MU));
        new Queries(searcher).time(questions, parts[0], Integer.parseInt(parts[1]), rounds);
      }
    }
  }

  private static Question question(JsonNode node) {
    JsonNode factors = node.path("cluster_factors");
    double[] array = new double[factors.size()];
    for (int i = 0; i < array.length; i++) {
      array[i] = factors.get(i).asDouble();
    }
    Equation1 equation = new Equation1(array, node.path("quality_weight").asDouble());
    return new Question(node.get("id").asText(), node.get("text").asText(), equation);
  }

  private void time(List<Question> questions, String mode, int k, int rounds)
      throws IOException {
    List<List<Double>> times = new ArrayList<>();
    questions.forEach(question -> times.add(new ArrayList<>()));
    for (int round = 0; round <= rounds; round++) {
      for (int i = 0; i < questions.size(); i++) {
        long start = System.nanoTime();
        TopDocs best = search(questions.get(i), mode, k);
        double milliseconds = (System.nanoTime() - start) / 1e6;
        if (round > 0) {
          times.get(i).add(milliseconds);
        }
        if (round == rounds) {
          print(questions.get(i).id, mode, k, times.get(i), best);
        }
      }
    }
  }

  private TopDocs search(Question question, String mode, int k) throws IOException {
    Query terms = terms(question.text);
    return switch (mode) {
      case "plain", "bm25" -> searcher.search(terms, k);
      case "function" -> searcher.search(new FunctionScoreQuery(terms, question.equation), k);
      case "collector" -> searcher.search(terms, new Equation1Collector(question.equation, k));
      default -> throw new IllegalArgumentException(
          "mode is " + mode + "; allowed: plain, bm25, function, collector");
    };
  }

  private Query terms(String text) throws IOException {
    BooleanQuery.Builder query = new BooleanQuery.Builder();
    try (TokenStream stream = analyzer.tokenStream("text", text)) {
      CharTermAttribute term = stream.addAttribute(CharTermAttribute.class);
      stream.reset();
      while (stream.incrementToken()) {
        query.add(new TermQuery(new Term("text", term.toString())), BooleanClause.Occur.SHOULD);
      }
      stream.end();
    }
    return query.build();
  }

  private void print(String id, String mode, int k, List<Double> times, TopDocs best)
      throws IOException {
    List<String> ids = new ArrayList<>();
    List<Float> scores = new ArrayList<>();
    for (ScoreDoc hit : best.scoreDocs) {
      BinaryDocValues values = MultiDocValues.getBinaryValues(searcher.getIndexReader(), "id");
      values.advanceExact(hit.doc);
      ids.add(values.binaryValue().utf8ToString());
      scores.add(hit.score);
    }
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("query", id);
    line.put("mode", mode);
    line.put("k", k);
    line.put("milliseconds", times);
    line.put("ids", ids);
    line.put("scores", scores);
    System.out.println(Main.JSON.writeValueAsString(line));
  }
}

package referee;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LogDocMergePolicy;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopScoreDocCollectorManager;
import org.apache.lucene.search.similarities.Similarity;
import org.apache.lucene.store.ByteBuffersDirectory;

/** One similarity over documents {"id", "text"} (JSON lines), indexed in the order of the file. */
final class Scores {
  private static final String FIELD = "text";

  private final List<String> ids = new ArrayList<>();
  private final IndexSearcher searcher;

  Scores(Path documents, Similarity similarity) throws IOException {
    ByteBuffersDirectory directory = new ByteBuffersDirectory();
    IndexWriterConfig config =
        new IndexWriterConfig(Tokens.analyzer())
            .setSimilarity(similarity)
            .setMergePolicy(new LogDocMergePolicy())
            .setRAMBufferSizeMB(256);
    try (IndexWriter writer = new IndexWriter(directory, config);
        BufferedReader lines = Files.newBufferedReader(documents)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        JsonNode document = Referee.JSON.readTree(line);
        ids.add(document.get("id").asText());
        Document indexed = new Document();
        indexed.add(new TextField(FIELD, document.get("text").asText(), Field.Store.NO));
        writer.addDocument(indexed);
      }
      writer.forceMerge(1);
    }
    searcher = new IndexSearcher(DirectoryReader.open(directory));
    searcher.setSimilarity(similarity);
    IndexSearcher.setMaxClauseCount(Integer.MAX_VALUE);
  }

  /** For each query (a JSON string a line) the best k as [[id, score], …]; ties in file order. */
  void answer(Path queries, int k, PrintWriter out) throws IOException {
    try (Tokens analysis = new Tokens()) {
      for (String line : Files.readAllLines(queries)) {
        TopDocs best = search(analysis.of(Referee.JSON.readValue(line, String.class)), k);
        List<Object[]> hits = new ArrayList<>();
        for (ScoreDoc hit : best.scoreDocs) {
          hits.add(new Object[] {ids.get(hit.doc), hit.score});
        }
        out.println(Referee.JSON.writeValueAsString(hits));
      }
    }
  }

  private TopDocs search(List<String> tokens, int k) throws IOException {
    BooleanQuery.Builder query = new BooleanQuery.Builder();
    for (String token : tokens) {
      Query term = new TermQuery(new Term(FIELD, token));
      query.add(term, BooleanClause.Occur.SHOULD);
    }
    int size = Math.max(1, Math.min(k, ids.size()));
    return searcher.search(
        query.build(), new TopScoreDocCollectorManager(size, Integer.MAX_VALUE));
  }
}

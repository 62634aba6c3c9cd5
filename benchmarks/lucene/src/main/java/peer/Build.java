package peer;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.lucene.analysis.CharArraySet;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.BinaryDocValuesField;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FloatDocValuesField;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LogDocMergePolicy;
import org.apache.lucene.search.similarities.LMDirichletSimilarity;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.BytesRef;

/**
 * Indexes {"id", "text", "cluster", "quality"} (JSON lines), read into memory first so that only
 * indexing is timed. One thread keeps the order of the file, so that equal scores are ordered as in
 * the file; several do not.
 */
final class Build {
  private record Argument(String id, String text, int cluster, float quality) {}

  private Build() {}

  static void run(Path documents, Path folder, int threads) throws Exception {
    List<Argument> arguments = read(documents);
    long start = System.nanoTime();
    double indexed;
    double merged;
    try (FSDirectory directory = FSDirectory.open(folder);
        IndexWriter writer = new IndexWriter(directory, config())) {
      index(writer, arguments, threads);
      writer.commit();
      indexed = seconds(start);
      writer.forceMerge(1);
      writer.commit();
      merged = seconds(start);
    }
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("documents", arguments.size());
    report.put("threads", threads);
    report.put("seconds", indexed);
    report.put("seconds_with_merge_to_one_segment", merged);
    report.put("bytes", size(folder));
    System.out.println(Main.JSON.writeValueAsString(report));
  }

  private static IndexWriterConfig config() {
    return new IndexWriterConfig(new StandardAnalyzer(CharArraySet.EMPTY_SET))
        .setOpenMode(IndexWriterConfig.OpenMode.CREATE)
        .setSimilarity(new LMDirichletSimilarity(Main.MU))
        .setMergePolicy(new LogDocMergePolicy())
        .setRAMBufferSizeMB(256);
  }

  private static List<Argument> read(Path documents) throws IOException {
    List<Argument> arguments = new ArrayList<>();
    try (BufferedReader lines = Files.newBufferedReader(documents)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        JsonNode node = Main.JSON.readTree(line);
        arguments.add(
            new Argument(
                node.get("id").asText(),
                node.get("text").asText(),
                node.path("cluster").asInt(0),
                (float) node.path("quality").asDouble(0)));
      }
    }
    return arguments;
  }

  private static void index(IndexWriter writer, List<Argument> arguments, int threads)
      throws Exception {
    AtomicInteger next = new AtomicInteger();
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      List<Future<?>> running = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        running.add(
            pool.submit(
                () -> {
                  for (int i = next.getAndIncrement();
                      i < arguments.size();
                      i = next.getAndIncrement()) {
                    writer.addDocument(document(arguments.get(i)));
                  }
                  return null;
                }));
      }
      for (Future<?> thread : running) {
        thread.get();
      }
    }
  }

  private static Document document(Argument argument) {
    Document document = new Document();
    document.add(new BinaryDocValuesField("id", new BytesRef(argument.id)));
    document.add(new TextField("text", argument.text, Field.Store.NO));
    document.add(new NumericDocValuesField("cluster", argument.cluster));
    document.add(new FloatDocValuesField("quality", argument.quality));
    return document;
  }

  private static double seconds(long start) {
    return (System.nanoTime() - start) / 1e9;
  }

  private static long size(Path folder) throws IOException {
    long bytes = 0;
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        bytes += Files.size(file);
      }
    }
    return bytes;
  }
}

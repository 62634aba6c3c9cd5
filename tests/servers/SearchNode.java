import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;

/**
 * One search node in a process of its own: {@code SearchNode RUNNER FOLDER key=value...}.
 *
 * <p>RUNNER is the class that starts the node (Elasticsearch's or OpenSearch's, they have the same
 * shape), FOLDER is where the node keeps everything, and the rest are its settings. The process ends,
 * and FOLDER is removed, when standard input ends: that is, also when whoever started it is killed.
 */
public final class SearchNode {
  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[1]);
    Thread watch = new Thread(() -> endWithInput(folder), "watch");
    watch.setDaemon(true);
    watch.start();
    Class<?> type = Class.forName(args[0]);
    Class<?> callback = Class.forName(args[0] + "$Builder");
    Object runner = type.getConstructor().newInstance();
    Object settings =
        Proxy.newProxyInstance(
            callback.getClassLoader(),
            new Class<?>[] {callback},
            (proxy, method, values) -> {
              put(values[1], args);
              return null;
            });
    type.getMethod("onBuild", callback).invoke(runner, settings);
    String[] options = {"-basePath", folder.toString(), "-numOfNode", "1"};
    try {
      type.getMethod("build", String[].class).invoke(runner, (Object) options);
    } catch (InvocationTargetException error) {
      error.getCause().printStackTrace();
      System.exit(1);
    }
    watch.join(); // a node's own threads do not keep the process
  }

  private static void put(Object settings, String[] args) throws ReflectiveOperationException {
    var put = settings.getClass().getMethod("put", String.class, String.class);
    for (int i = 2; i < args.length; i++) {
      int equals = args[i].indexOf('=');
      put.invoke(settings, args[i].substring(0, equals), args[i].substring(equals + 1));
    }
  }

  private static void endWithInput(Path folder) {
    try {
      while (System.in.read() >= 0) {}
    } catch (IOException closed) {
      // the same as its end
    }
    try {
      removeAfterEnd(folder);
    } finally {
      Runtime.getRuntime().halt(0);
    }
  }

  /**
   * Leaves a shell behind that reads until this process ends, whose threads still write, and only then
   * removes FOLDER, and the folder around it with the last of its nodes.
   */
  private static void removeAfterEnd(Path folder) {
    String removal = "cat > /dev/null; rm -rf \"$1\"; rmdir \"$2\"";
    String[] command = {"sh", "-c", removal, "sh", folder.toString(), folder.getParent().toString()};
    try {
      new ProcessBuilder(command)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .redirectError(ProcessBuilder.Redirect.DISCARD)
          .start();
    } catch (IOException absent) {
      // no shell: whoever started the node removes what is left
    }
  }
}

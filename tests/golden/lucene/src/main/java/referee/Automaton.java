package referee;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.lucene.analysis.standard.StandardTokenizerImpl;

/**
 * The tables that Lucene's generated tokenizer walks, read by reflection, so that ours can be
 * compared with them over every state and class instead of over samples only.
 */
final class Automaton {
  private static final int CODE_POINTS = 0x110000;
  private static final int FINAL = 1; // bit of an accepting state

  private Automaton() {}

  /**
   * "classes": [[first, last, class], …]; "step": [[next state or -1 per class], …], state 0 first;
   * "tokens": [true where a token may end, per state].
   */
  static Map<String, Object> ofStandardTokenizer() throws ReflectiveOperationException {
    List<int[]> classes = classes();
    int count = 1 + classes.stream().mapToInt(range -> range[2]).max().orElseThrow();
    int[] rows = table("ZZ_ROWMAP");
    int[] transitions = table("ZZ_TRANS");
    int[] attributes = table("ZZ_ATTRIBUTE");
    int[] actions = table("ZZ_ACTION");
    int skip = actions[transitions[rows[0]]]; // what is done with a character of class 0
    List<int[]> step = new ArrayList<>();
    List<Boolean> tokens = new ArrayList<>();
    for (int state = 0; state < rows.length; state++) {
      int[] row = new int[count];
      System.arraycopy(transitions, rows[state], row, 0, count);
      step.add(row);
      boolean accepting = (attributes[state] & FINAL) != 0;
      tokens.add(accepting && actions[state] != skip);
    }
    Map<String, Object> automaton = new LinkedHashMap<>();
    automaton.put("classes", classes);
    automaton.put("step", step);
    automaton.put("tokens", tokens);
    return automaton;
  }

  private static List<int[]> classes() throws ReflectiveOperationException {
    Method classOf = StandardTokenizerImpl.class.getDeclaredMethod("zzCMap", int.class);
    classOf.setAccessible(true);
    List<int[]> ranges = new ArrayList<>();
    for (int code = 0; code < CODE_POINTS; code++) {
      int found = (Integer) classOf.invoke(null, code);
      if (ranges.isEmpty() || ranges.getLast()[2] != found) {
        ranges.add(new int[] {code, code, found});
      }
      ranges.getLast()[1] = code;
    }
    return ranges;
  }

  private static int[] table(String name) throws ReflectiveOperationException {
    Field field = StandardTokenizerImpl.class.getDeclaredField(name);
    field.setAccessible(true);
    return (int[]) field.get(null);
  }
}

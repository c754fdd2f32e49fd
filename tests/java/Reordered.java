import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;

/** A Java agent puts the methods of a class into another order. */
public class Reordered {
    static Instrumentation instrumentation;

    public static void premain(String options, Instrumentation given) {
        instrumentation = given;
    }

    static int sink;

    static class Changed {
        static void first() {
            sink++;
        }

        static void other() {
            sink += 2;
        }
    }

    static void call(int first, int other) {
        for (int i = 0; i < first; i++) {
            Changed.first();
        }
        for (int i = 0; i < other; i++) {
            Changed.other();
        }
    }

    public static void main(String[] arguments) throws Exception {
        call(3, 4);
        // The second one's name stands where the first one's was.
        byte[] bytes = Redefined.changed(Changed.class, "first", "third");
        String swapped = new String(bytes, "ISO-8859-1").replace("other", "first").replace("third", "other");
        instrumentation.redefineClasses(new ClassDefinition(Changed.class, swapped.getBytes("ISO-8859-1")));
        call(10, 100);
        System.out.println("done");
    }
}

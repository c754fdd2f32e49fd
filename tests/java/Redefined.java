import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;

/** A Java agent changes classes that a class-file hook has changed before; then hooks come. */
public class Redefined {
    static Instrumentation instrumentation;

    public static void premain(String options, Instrumentation given) {
        instrumentation = given;
    }

    static class First {
        static String word() {
            return "as-it-was";
        }
    }

    static class Second {
        static String word() {
            return "as-it-was";
        }
    }

    static byte[] changed(Class<?> type, String to) throws Exception {
        // Not as it is written here: the hook changes this class, too.
        return changed(type, new StringBuilder("saw-ti-sa").reverse().toString(), to);
    }

    static byte[] changed(Class<?> type, String from, String to) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (InputStream in = Redefined.class.getResourceAsStream(type.getName() + ".class")) {
            for (int next = in.read(); next >= 0; next = in.read()) {
                bytes.write(next);
            }
        }
        return bytes.toString("ISO-8859-1").replace(from, to).getBytes("ISO-8859-1");
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println(First.word() + " " + Second.word());
        instrumentation.redefineClasses(new ClassDefinition(First.class, changed(First.class, "by-others")));
        Native.check("off");
        instrumentation.retransformClasses(Second.class);
        System.out.println(First.word() + " " + Second.word());
        Native.check("entries");
        System.out.println(First.word() + " " + Second.word());
        Native.check("exits");
        System.out.println(First.word() + " " + Second.word());
    }
}

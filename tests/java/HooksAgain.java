import java.lang.instrument.ClassDefinition;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;

/** A Java agent changes classes that have had hooks, while nobody wants any; then they come again. */
public class HooksAgain {
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

    /** When a class was shown again, First among them. */
    static volatile long shown;
    static volatile boolean first;

    static class Looks implements ClassFileTransformer {
        public byte[] transform(ClassLoader loader, String name, Class<?> type, ProtectionDomain domain, byte[] bytes) {
            if (type != null) {
                shown = System.nanoTime();
                first |= type == First.class;
            }
            return null;
        }
    }

    static void redefine(Class<?> type) throws Exception {
        instrumentation.redefineClasses(new ClassDefinition(type, Redefined.changed(type, "by-others")));
    }

    public static void main(String[] arguments) throws Exception {
        Native.check("off");
        // Both, so that nobody takes out those at the ends before the others.
        Native.check("exits");
        Native.check("entries");
        redefine(Second.class);
        System.out.println(First.word() + " " + Second.word());
        instrumentation.addTransformer(new Looks(), true);
        Native.check("no-entries");
        // The last class is followed by the end of the VM's event.
        while (!first || System.nanoTime() - shown < 1_000_000_000L) {
            Thread.sleep(100);
        }
        redefine(First.class);
        instrumentation.retransformClasses(Second.class);
        System.out.println(First.word() + " " + Second.word());
        Native.check("entries");
        System.out.println(First.word() + " " + Second.word());
    }
}

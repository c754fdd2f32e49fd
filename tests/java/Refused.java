import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;

/** A Java agent redefines two classes at once, and the VM refuses that for the second one's sake; then hooks come. */
public class Refused {
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

    public static void main(String[] arguments) throws Exception {
        System.out.println(First.word() + " " + Second.word());
        ClassDefinition first = new ClassDefinition(First.class, Redefined.changed(First.class, "by-others"));
        // Another method.
        byte[] bytes = Redefined.changed(Second.class, "word", "wort");
        try {
            instrumentation.redefineClasses(first, new ClassDefinition(Second.class, bytes));
        } catch (UnsupportedOperationException e) {
            System.out.println("refused");
        }
        System.out.println(First.word() + " " + Second.word());
        Native.check("entries");
        System.out.println(First.word() + " " + Second.word());
    }
}

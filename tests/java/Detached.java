import java.io.File;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;

/** A Java agent redefines a class when it is told to, and says later what has become of it. */
public class Detached {
    static Instrumentation instrumentation;

    public static void premain(String options, Instrumentation given) {
        instrumentation = given;
    }

    static class Changed {
        static String word() {
            return "as-it-was";
        }
    }

    static void await(String file) throws Exception {
        while (!new File(file).exists()) {
            Thread.sleep(5);
        }
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println(Changed.word());
        await("redefine");
        byte[] bytes = Redefined.changed(Changed.class, "by-others");
        instrumentation.redefineClasses(new ClassDefinition(Changed.class, bytes));
        System.out.println(Changed.word());
        await("end");
        System.out.println(Changed.word());
    }
}

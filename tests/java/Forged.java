import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Files;
import java.nio.file.Paths;

/**
 * A hostile program: {@code Forged ENTRIES DEPTH} calls the hooks itself, as if methods began
 * that never end, says what that cost, and then recurses.
 */
public class Forged {
    static int recurse(int depth) {
        return depth == 0 ? 0 : 1 + recurse(depth - 1);
    }

    static MethodHandle hook(String name) throws Exception {
        Class<?> hooks = Class.forName("java.lang.JvmpiHooks", true, null);
        MethodType number = MethodType.methodType(void.class, int.class);
        return MethodHandles.publicLookup().findStatic(hooks, name, number);
    }

    /** What this thread has had of a processor. */
    static long processorMillis() throws Exception {
        byte[] words = Files.readAllBytes(Paths.get("/proc/thread-self/schedstat"));
        return Long.parseLong(new String(words, "US-ASCII").split(" ")[0]) / 1_000_000;
    }

    public static void main(String[] arguments) throws Throwable {
        int entries = Integer.parseInt(arguments[0]);
        int depth = Integer.parseInt(arguments[1]);
        if (entries > 0) {
            MethodHandle enter = hook("enter");
            MethodHandle exit = hook("exit");
            long before = processorMillis();
            for (int i = 0; i < entries; i++) {
                enter.invokeExact(i % 3);
                if (i % 1024 == 0) {
                    // Of what never began.
                    exit.invokeExact(1 << 20);
                }
            }
            System.out.println("COST " + (processorMillis() - before));
        }
        int[] reached = new int[1];
        Thread thread = new Thread(null, () -> reached[0] = recurse(depth), "deep", 1L << 30);
        thread.start();
        thread.join();
        System.out.println("DEPTH " + reached[0]);
    }
}

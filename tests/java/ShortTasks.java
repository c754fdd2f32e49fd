import java.lang.reflect.Method;

/**
 * {@code ShortTasks COUNT virtual|platform}: so often a fifth of a millisecond of work, in two
 * methods that take the same time; each on a new virtual thread, or all on this one.
 */
public class ShortTasks {
    static volatile long sum = 1;

    // No common method: each is to be on top itself.
    static long first(long x) { for (int i = 0; i < 100_000; i++) x = x * 6364136223846793005L + 1442695040888963407L; return x; }
    static long second(long x) { for (int i = 0; i < 100_000; i++) x = x * 6364136223846793005L + 1442695040888963407L; return x; }

    static void work() {
        sum = second(first(sum));
    }

    public static void main(String[] words) throws Exception {
        Method start = words[1].equals("virtual") ? Thread.class.getMethod("startVirtualThread", Runnable.class) : null;
        for (int i = Integer.parseInt(words[0]); i > 0; i--) {
            if (start == null) {
                work();
            } else {
                ((Thread) start.invoke(null, (Runnable) ShortTasks::work)).join();
            }
        }
        System.out.println("done");
    }
}

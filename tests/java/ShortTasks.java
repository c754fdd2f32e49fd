import java.lang.reflect.Method;
import java.util.concurrent.CountDownLatch;

/**
 * {@code ShortTasks COUNT virtual|platform}: so often some tenth of a millisecond of work, in two
 * methods that take the same time and that no compiler shortens; each on a new virtual thread, which starts the next
 * one, or all on this one.
 * On one carrier nobody has to wake anybody, so of the time that passes the methods have the same part however long
 * it takes to get a processor.
 */
public class ShortTasks {
    static final CountDownLatch DONE = new CountDownLatch(1);
    static volatile long sum = 1;
    static volatile int left;
    static Method start;

    // No common method: each is to be on top itself.
    static long first(long x) {
        for (int i = 0; i < 40_000; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    static long second(long x) {
        for (int i = 0; i < 40_000; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    static void work() {
        sum = second(first(sum));
    }

    static void begin() {
        try {
            start.invoke(null, (Runnable) ShortTasks::one);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    static void one() {
        boolean goesOn = false;
        try {
            work();
            // One at a time.
            left--;
            if (left > 0) {
                begin();
                goesOn = true;
            }
        } finally {
            if (!goesOn) {
                DONE.countDown();
            }
        }
    }

    public static void main(String[] words) throws Exception {
        left = Integer.parseInt(words[0]);
        if (words[1].equals("virtual")) {
            start = Thread.class.getMethod("startVirtualThread", Runnable.class);
            begin();
            DONE.await();
        } else {
            for (; left > 0; left--) {
                work();
            }
        }
        System.out.println(left == 0 ? "done" : left + " left");
    }
}

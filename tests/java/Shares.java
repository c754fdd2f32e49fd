import java.lang.reflect.Method;

/**
 * {@code Shares 20s}, {@code Shares 1000}: ten methods with known shares of the processor's time, the same
 * loop in each, for so many seconds or so often, some 3 ms each time. They are called in turn, and none is long
 * enough to be seen twice. {@code Shares 20s virtual}: each time on a new virtual thread, on a JDK that has them.
 */
public class Shares {
    static final int UNIT = 20_000;

    // No common method: each is to be on top itself.
    static long thirty(long x) { for (int i = 0; i < 30 * UNIT; i++) x = x * 6364136223846793005L + 1442695040888963407L; return x; }
    static long twenty(long x) { for (int i = 0; i < 20 * UNIT; i++) x = x * 6364136223846793005L + 1442695040888963407L; return x; }
    static long fourteen(long x) { for (int i = 0; i < 14 * UNIT; i++) x = x * 6364136223846793005L + 1442695040888963407L; return x; }
    static long ten(long x) { for (int i = 0; i < 10 * UNIT; i++) x = x * 6364136223846793005L + 1442695040888963407L; return x; }
    static long eight(long x) { for (int i = 0; i < 8 * UNIT; i++) x = x * 6364136223846793005L + 1442695040888963407L; return x; }
    static long six(long x) { for (int i = 0; i < 6 * UNIT; i++) x = x * 6364136223846793005L + 1442695040888963407L; return x; }
    static long five(long x) { for (int i = 0; i < 5 * UNIT; i++) x = x * 6364136223846793005L + 1442695040888963407L; return x; }
    static long four(long x) { for (int i = 0; i < 4 * UNIT; i++) x = x * 6364136223846793005L + 1442695040888963407L; return x; }
    static long two(long x) { for (int i = 0; i < 2 * UNIT; i++) x = x * 6364136223846793005L + 1442695040888963407L; return x; }
    static long one(long x) { for (int i = 0; i < UNIT; i++) x = x * 6364136223846793005L + 1442695040888963407L; return x; }

    static volatile long sum = 1;

    static void all() {
        sum = one(two(four(five(six(eight(ten(fourteen(twenty(thirty(sum))))))))));
    }

    public static void main(String[] words) throws Exception {
        Method start = words.length > 1 ? Thread.class.getMethod("startVirtualThread", Runnable.class) : null;
        boolean timed = words[0].endsWith("s");
        long limit = Long.parseLong(words[0].replace("s", ""));
        long end = System.nanoTime() + limit * 1_000_000_000L;
        for (long i = 0; timed ? System.nanoTime() < end : i < limit; i++) {
            if (start == null) {
                all();
            } else {
                ((Thread) start.invoke(null, (Runnable) Shares::all)).join();
            }
        }
        System.out.println(sum);
    }
}

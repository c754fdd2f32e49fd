import java.util.Arrays;

/** Copies for a part of its time, which it prints in percent, until the sampler has looked often enough. */
public class Copies {
    private static final byte[] FROM = new byte[1 << 16], TO = new byte[1 << 16];
    private static int sum;

    static void copy() {
        System.arraycopy(FROM, 0, TO, 0, FROM.length);
    }

    static void spin() {
        int next = sum;
        for (int i = 0; i < 2000; i++) {
            next = next * 31 + i;
        }
        sum = next;
    }

    static boolean isEnough(long nanos) {
        return nanos > 2_500_000_000L && (Looks.of("jvmpi sampler") > 400 || nanos > 40_000_000_000L);
    }

    /** The one in the middle: where it has lost its processor a round has taken any time. */
    static long usual(long[] all, int count) {
        long[] sorted = Arrays.copyOf(all, count);
        Arrays.sort(sorted);
        return sorted[count / 2];
    }

    public static void main(String[] arguments) {
        long[] copied = new long[1 << 17], spun = new long[1 << 17];
        int rounds = 0;
        long all = 0;
        while (!isEnough(all) && rounds < copied.length) {
            long start = System.nanoTime();
            for (int i = 0; i < 100; i++) {
                copy();
            }
            long middle = System.nanoTime();
            for (int i = 0; i < 100; i++) {
                spin();
            }
            long end = System.nanoTime();
            copied[rounds] = middle - start;
            spun[rounds++] = end - middle;
            all += end - start;
        }
        long copies = usual(copied, rounds), spins = usual(spun, rounds);
        System.out.println(100 * copies / (copies + spins));
    }
}

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
        return nanos > 2_500_000_000L && (Looks.of("jvmpi sampler") > 100 || nanos > 40_000_000_000L);
    }

    public static void main(String[] arguments) {
        long copied = 0, all = 0;
        while (!isEnough(all)) {
            long start = System.nanoTime();
            for (int i = 0; i < 100; i++) {
                copy();
            }
            long middle = System.nanoTime();
            for (int i = 0; i < 100; i++) {
                spin();
            }
            copied += middle - start;
            all += System.nanoTime() - start;
        }
        System.out.println(100 * copied / all);
    }
}

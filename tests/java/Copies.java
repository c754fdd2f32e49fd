/** Copies for a part of its time, which it prints in percent. */
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

    public static void main(String[] arguments) {
        long copied = 0, all = 0;
        while (all < 2_500_000_000L) {
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

/**
 * Loops for recordings: {@code RecordedBench calls|objects COUNT} makes so many events, entries and exits of
 * methods, or births.
 */
public class RecordedBench {
    static int sum;

    /** What is stored here escapes: C2 must really make it. */
    static final Object[] RING = new Object[1024];

    static int inner(int n) {
        return n ^ sum;
    }

    static int middle(int n) {
        return inner(n) + inner(n + 1);
    }

    static int outer(int n) {
        return middle(n) + inner(n);
    }

    public static void main(String[] words) {
        int count = Integer.parseInt(words[1]);
        if (words[0].equals("calls")) {
            for (int i = 0; i < count / 10; i++) {
                sum += outer(i);
            }
        } else {
            for (int i = 0; i < count; i++) {
                RING[i & RING.length - 1] = i % 3 == 0 ? new int[4] : new Object();
            }
        }
        System.out.println(sum);
    }
}

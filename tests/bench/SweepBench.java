/**
 * {@code SweepBench LIBRARY N}: N objects live, and one of them is asked for by its object, twice; the
 * figures, in ms, go to stdout. {@code stop} is the longest time for which another thread that
 * allocates could not go on meanwhile.
 */
public final class SweepBench {
    static final class Small {
        int value;
    }

    static Object[][] kept;
    static volatile boolean over;
    static volatile Object sink;
    static volatile long longest;

    static native long ask();

    static native long cpu();

    static void ask(String name, Object one) {
        longest = 0;
        synchronized (one) {
            System.out.println(name + " " + ask() / 1e6);
        }
        System.out.println(name + "_cpu " + cpu() / 1e6);
    }

    public static void main(String[] words) throws Exception {
        System.load(words[0]);
        int count = Integer.parseInt(words[1]);
        kept = new Object[count / 1000][1000];
        for (Object[] row : kept) {
            for (int at = 0; at < row.length; at++) {
                row[at] = new Small();
            }
        }
        System.gc();
        Thread other = new Thread(() -> {
            long last = System.nanoTime();
            while (!over) {
                sink = new Small();
                long now = System.nanoTime();
                longest = Math.max(longest, now - last);
                last = now;
            }
        });
        other.start();
        Thread.sleep(500);
        ask("first", kept[kept.length / 2][500]);
        Thread.sleep(100);
        System.out.println("stop " + longest / 1e6);
        ask("second", kept[kept.length / 3][500]);
        over = true;
        other.join();
    }
}

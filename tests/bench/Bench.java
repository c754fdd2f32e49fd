import java.util.concurrent.CountDownLatch;

/** Times the shim's calls against the JVMTI calls they rest on; prints `name value` lines. */
public class Bench {
    static native long trace(boolean jvmpi, int rounds, int depth);
    static native long clock(int which, int rounds);
    static native long pass(boolean jvmpi, int rounds, Thread[] threads);

    static long deep(int left, boolean jvmpi, int rounds, int depth) {
        return left == 0 ? trace(jvmpi, rounds, depth) : deep(left - 1, jvmpi, rounds, depth);
    }

    static void park(int left, CountDownLatch up, Object never) throws InterruptedException {
        if (left > 0) {
            park(left - 1, up, never);
            return;
        }
        synchronized (never) {
            up.countDown();
            never.wait();
        }
    }

    public static void main(String[] args) throws Exception {
        System.loadLibrary("bench");
        boolean jvmpi = args[0].equals("jvmpi");
        if (args[1].equals("trace")) {
            int depth = Integer.parseInt(args[2]);
            // So often that its frames are compiled ones, unless they are not to be (-Xint).
            for (int i = 0; i < 20_000; i++) deep(depth, jvmpi, 0, depth);
            for (int i = 0; i < 5; i++) deep(depth, jvmpi, 20_000, depth);
            long best = Long.MAX_VALUE;
            for (int i = 0; i < 9; i++) best = Math.min(best, deep(depth, jvmpi, 20_000, depth));
            System.out.println(best / 20_000.0);
            return;
        }
        if (args[1].equals("clock")) {
            // All in one process, in turn.
            double[][] runs = new double[6][201];
            for (int run = 0; run < 201; run++) {
                for (int which = 0; which < runs.length; which++) runs[which][run] = clock(which, 1000) / 1000.0;
            }
            for (double[] run : runs) {
                java.util.Arrays.sort(run);
                System.out.println(run[100]);
            }
            return;
        }
        int count = Integer.parseInt(args[2]);
        Thread[] threads = new Thread[count];
        CountDownLatch up = new CountDownLatch(count);
        Object never = new Object();
        for (int i = 0; i < count; i++) {
            threads[i] = new Thread(null, () -> {
                try {
                    park(20, up, never);
                } catch (InterruptedException end) {
                    // The benchmark is over.
                }
            }, "parked-" + i, 256 * 1024);
            threads[i].setDaemon(true);
            threads[i].start();
        }
        up.await();
        int rounds = Math.max(5, 2_000 / count);
        for (int i = 0; i < 3; i++) pass(jvmpi, rounds, threads);
        long best = Long.MAX_VALUE;
        for (int i = 0; i < 9; i++) best = Math.min(best, pass(jvmpi, rounds, threads));
        System.out.println(best / (double) rounds / count);
    }
}

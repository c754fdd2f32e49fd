import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.locks.LockSupport;

/**
 * Nanoseconds of an uncontended {@code lock}, of a contended {@code hand}-over, of a dump of
 * N threads: {@code dump N} by JVMPI, {@code bean N} by ThreadMXBean.
 */
public class MonitorBench {
    static final Object LOCK = new Object();
    static int count;
    static volatile int inside = -1;
    static volatile boolean finished;

    static native int dump();

    static double lock() {
        double best = Double.MAX_VALUE;
        for (int round = 0; round < 15; round++) {
            final int times = 2000000;
            long start = System.nanoTime();
            for (int i = 0; i < times; i++) {
                synchronized (LOCK) {
                    count++;
                }
                method();
            }
            best = Math.min(best, (System.nanoTime() - start) / (2.0 * times));
        }
        return best;
    }

    static synchronized void method() {
        count++;
    }

    static double hand() throws Exception {
        final int times = 4000;
        final Thread[] players = new Thread[2];
        for (int i = 0; i < 2; i++) {
            final int me = i;
            players[i] = new Thread(() -> {
                for (int n = 0; n < times; n++) {
                    synchronized (LOCK) {
                        inside = me;
                        while (!finished && players[1 - me].getState() != Thread.State.BLOCKED) { }
                    }
                    while (!finished && inside == me) { }
                }
                finished = true;
            });
        }
        long start = System.nanoTime();
        for (Thread player : players) player.start();
        for (Thread player : players) player.join();
        return (System.nanoTime() - start) / (2.0 * times);
    }

    static double dumps(int threads, boolean bean) {
        for (int i = 0; i < threads; i++) {
            Object own = new Object();
            Thread thread = new Thread(() -> deep(10, own));
            thread.setDaemon(true);
            thread.start();
        }
        ThreadMXBean mx = bean ? ManagementFactory.getThreadMXBean() : null;
        double best = Double.MAX_VALUE;
        for (int round = 0; round < 12; round++) {
            long start = System.nanoTime();
            int seen = bean ? mx.dumpAllThreads(true, true).length : dump();
            best = Math.min(best, System.nanoTime() - start);
            if (round > 5 && seen < threads) throw new AssertionError(seen);
        }
        return best;
    }

    /** Some frames, a monitor of its own, and then it waits. */
    static void deep(int depth, Object own) {
        if (depth > 0) {
            deep(depth - 1, own);
        } else {
            synchronized (own) {
                for (;;) LockSupport.park();
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        double figure;
        if (arguments[0].equals("lock")) {
            figure = lock();
        } else if (arguments[0].equals("hand")) {
            figure = hand();
        } else {
            boolean bean = arguments[0].equals("bean");
            if (!bean) System.loadLibrary("monitors");
            figure = dumps(Integer.parseInt(arguments[1]), bean);
        }
        System.out.println(figure);
    }
}

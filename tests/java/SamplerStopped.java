/** Threads start and end while somebody has stopped HPROF's sampler, wherever that was. */
public class SamplerStopped {
    static volatile long spun;
    static volatile boolean over;

    static native String sampler(boolean stop);

    static native void free(Thread stopped);

    /** The sampler, which is stopped, may have stopped who stops it. Nobody else of the two can go on. */
    static void freeEachMoment(Thread stopper) {
        try {
            while (!over) {
                Thread.sleep(100);
                free(stopper);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] words) throws Exception {
        System.load(System.getProperty("agent"));
        Thread busy = new Thread(() -> {
            while (!over) {
                spun++;
            }
        }, "busy");
        busy.start();
        Thread main = Thread.currentThread();
        Thread frees = new Thread(() -> freeEachMoment(main), "frees");
        frees.setDaemon(true);
        frees.start();
        for (int times = 0; times < 5; times++) {
            // It looks every millisecond, and stops at its next step in the VM.
            System.out.println("stop " + sampler(true));
            long until = System.nanoTime() + 50_000_000L;
            while (System.nanoTime() < until) {
                Thread briefly = new Thread(() -> { }, "briefly");
                briefly.start();
                briefly.join();
            }
            System.out.println("go " + sampler(false));
        }
        over = true;
        busy.join();
        System.out.println("done");
    }
}

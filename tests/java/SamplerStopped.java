/** Threads start and end while somebody has stopped HPROF's sampler, wherever that was. */
public class SamplerStopped {
    static volatile long spun;
    static volatile boolean over;

    static native String sampler(boolean stop);

    public static void main(String[] words) throws Exception {
        System.load(System.getProperty("agent"));
        Thread busy = new Thread(() -> {
            while (!over) {
                spun++;
            }
        }, "busy");
        busy.start();
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

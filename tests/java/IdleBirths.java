/** Wants births for moments only, while the heap is collected all the time, and then no more. */
public class IdleBirths {
    static volatile boolean over;

    public static void main(String[] arguments) throws Exception {
        Thread collects = new Thread(() -> {
            while (!over) {
                System.gc();
            }
        });
        collects.start();
        long longest = 0;
        long before = System.nanoTime();
        for (int i = 0; i < 12; i++) {
            Native.check("on");
            Native.check("off");
            Thread.sleep(200);
            long now = System.nanoTime();
            longest = Math.max(longest, now - before);
            before = now;
        }
        // Who had no processor for that long has left the VM the time.
        Native.check(longest < 3_000_000_000L ? "short" : "stalled");
        Native.check("long");
        over = true;
        collects.join();
    }
}

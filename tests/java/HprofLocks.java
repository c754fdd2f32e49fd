/** Three threads wait for one lock; says how long in all, in ms. With {@code exit} it ends by System.exit. */
public class HprofLocks {
    static final Object LOCK = new Object();
    static long waited;

    static void enter() {
        long start = System.nanoTime();
        synchronized (LOCK) {
            waited += System.nanoTime() - start;
        }
    }

    public static void main(String[] words) throws Exception {
        Thread[] threads = new Thread[3];
        synchronized (LOCK) {
            for (int i = 0; i < threads.length; i++) {
                threads[i] = new Thread(HprofLocks::enter, "waiter-" + i);
                threads[i].start();
            }
            for (Thread thread : threads) {
                while (thread.getState() != Thread.State.BLOCKED) {
                    Thread.sleep(1);
                }
            }
            Thread.sleep(200);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(waited / 1_000_000);
        if (words.length > 0) {
            System.exit(0);
        }
    }
}

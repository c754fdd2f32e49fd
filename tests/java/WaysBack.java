/** A thread is notified, and its monitor held on for a while: so many times. */
public class WaysBack {
    static final Object LOCK = new Object();
    static int notified;
    static int seen;
    static volatile boolean there;

    public static void main(String[] words) throws Exception {
        int rounds = Integer.parseInt(words[0]);
        Thread waiter = new Thread(() -> {
            synchronized (LOCK) {
                there = true;
                while (seen < rounds) {
                    while (notified == seen) {
                        try {
                            LOCK.wait();
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    }
                    seen++;
                }
            }
        }, "waiter");
        waiter.start();
        for (int round = 0; round < rounds; round++) {
            while (!there || waiter.getState() != Thread.State.WAITING) {
                Thread.yield();
            }
            synchronized (LOCK) {
                notified++;
                LOCK.notify();
                Thread.sleep(50);
            }
        }
        waiter.join();
        System.out.println("done");
    }
}

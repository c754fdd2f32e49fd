import java.util.concurrent.CountDownLatch;

/** Threads that have ended, one that sleeps, garbage, a class to be unloaded, and a call of the agent. */
public class Checked {
    static Object[] garbage = new Object[1000];

    public static void main(String[] arguments) throws Exception {
        // All at once: what one leaves behind the next one has again.
        Thread[] workers = new Thread[5];
        final CountDownLatch all = new CountDownLatch(workers.length);
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Thread("worker") {
                public void run() {
                    all.countDown();
                    try {
                        all.await();
                    } catch (InterruptedException e) {
                        return;
                    }
                }
            };
            workers[i].start();
        }
        for (Thread worker : workers) {
            worker.join();
        }
        final Object begun = new Object();
        Thread sleeper = new Thread("sleeper") {
            public void run() {
                synchronized (begun) {
                    begun.notify();
                }
                try {
                    // Longer than the slowest machine takes: its JNIEnv is used to the end.
                    Thread.sleep(1000000);
                } catch (InterruptedException e) {
                    return;
                }
            }
        };
        sleeper.setDaemon(true);
        synchronized (begun) {
            sleeper.start();
            begun.wait();
        }
        for (int i = 0; i < garbage.length; i++) {
            garbage[i] = new int[3];
        }
        garbage = null;
        UnloadStorm.batch(UnloadStorm.template(), 0, 1, true);
        Native.check("");
        System.out.println("done");
    }
}

/** Threads that wait and sleep in each way, and are interrupted; each says how long it took. */
public class Waits {
    static final Object LOCK = new Object();
    static boolean go;

    interface Body {
        void run() throws Exception;
    }

    static Thread start(String name, Body body) {
        Thread thread = new Thread(() -> {
            long start = System.nanoTime();
            String how = "returned";
            try {
                body.run();
            } catch (Exception e) {
                how = e.getClass().getSimpleName();
            }
            long millis = (System.nanoTime() - start) / 1000000;
            synchronized (System.out) {
                System.out.println(name + " " + how + " " + millis);
            }
        }, name);
        thread.start();
        return thread;
    }

    static void waits(long millis) throws Exception {
        synchronized (LOCK) {
            LOCK.wait(millis);
        }
    }

    /** Until it waits, and a while longer. */
    static void settle(Thread thread) throws Exception {
        while (thread.getState() != Thread.State.WAITING && thread.getState() != Thread.State.TIMED_WAITING)
            Thread.yield();
        java.util.concurrent.locks.LockSupport.parkNanos(100_000_000);
    }

    static void notifyAllOfThem() {
        synchronized (LOCK) {
            LOCK.notifyAll();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Thread thread = start("notified", () -> waits(100000));
        settle(thread);
        notifyAllOfThem();
        thread.join();

        start("timed", () -> waits(70)).join();
        start("with-nanos", () -> {
            synchronized (LOCK) {
                LOCK.wait(5, 1);
            }
        }).join();

        thread = start("interrupted", () -> waits(0));
        settle(thread);
        thread.interrupt();
        thread.join();

        start("interrupted-before", () -> {
            Thread.currentThread().interrupt();
            waits(100000);
        }).join();

        start("not-owner", () -> LOCK.wait(10)).join();
        start("negative", () -> waits(-1)).join();

        thread = start("in-a-loop", () -> {
            synchronized (LOCK) {
                while (!go) LOCK.wait();
            }
        });
        for (int i = 0; i < 4; i++) {
            settle(thread);
            synchronized (LOCK) {
                go = i == 3;
                LOCK.notify();
            }
        }
        thread.join();

        thread = start("sleep-interrupted", () -> Thread.sleep(100000));
        settle(thread);
        thread.interrupt();
        thread.join();
        start("sleep", () -> Thread.sleep(30)).join();
    }
}

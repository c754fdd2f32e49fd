import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/** Threads in every state, named for it. */
public class States {
    static final Object LOCK = new Object();
    static final Object OTHER = new Object();
    /** Who does not wait says so: a thread is RUNNABLE before it runs. */
    static final CountDownLatch RUNNING = new CountDownLatch(3);
    static final Map<Thread, Thread.State> STATES = new LinkedHashMap<>();
    static volatile boolean stop;

    static void start(String name, Thread.State state, Runnable body) {
        Thread thread = new Thread(body, name);
        STATES.put(thread, state);
        thread.setDaemon(true);
        thread.start();
    }

    /** Until each is where it is to be. */
    static void settle() throws InterruptedException {
        RUNNING.await();
        for (Map.Entry<Thread, Thread.State> each : STATES.entrySet()) {
            while (each.getKey().getState() != each.getValue()) Thread.sleep(1);
        }
    }

    static void quiet(Body body) {
        try {
            body.run();
        } catch (InterruptedException e) {
            System.out.println("interrupted " + Thread.currentThread().getName());
        }
    }

    interface Body {
        void run() throws InterruptedException;
    }

    public static void main(String[] arguments) throws Exception {
        start("spinning", Thread.State.RUNNABLE, () -> {
            RUNNING.countDown();
            while (!stop) { }
        });
        start("interrupted", Thread.State.RUNNABLE, () -> {
            Thread.currentThread().interrupt();
            RUNNING.countDown();
            while (!stop) { }
        });
        start("native", Thread.State.RUNNABLE, () -> {
            RUNNING.countDown();
            // For longer than anybody looks: in between it would be somewhere else.
            while (!stop) Native.rest(100000);
        });
        start("sleeping", Thread.State.TIMED_WAITING, () -> quiet(() -> {
            while (!stop) Thread.sleep(100000);
        }));
        start("waiting", Thread.State.WAITING, () -> quiet(() -> {
            synchronized (OTHER) {
                while (!stop) OTHER.wait();
            }
        }));
        start("waiting-timed", Thread.State.TIMED_WAITING, () -> quiet(() -> {
            synchronized (OTHER) {
                while (!stop) OTHER.wait(100000);
            }
        }));
        start("parked", Thread.State.WAITING, () -> {
            while (!stop) LockSupport.park();
        });
        start("parked-timed", Thread.State.TIMED_WAITING, () -> {
            while (!stop) LockSupport.parkNanos(100000000000L);
        });
        synchronized (LOCK) {
            start("blocked", Thread.State.BLOCKED, () -> {
                synchronized (LOCK) {
                    if (!stop) System.out.println("not blocked");
                }
            });
            settle();
            Native.check("threads");
            stop = true;
        }
        synchronized (OTHER) {
            OTHER.notifyAll();
        }
        Native.check("reuse");
        for (int i = 0; i < 50; i++) {
            Thread thread = new Thread(() -> Native.check("fresh"), "fresh");
            thread.start();
            thread.join();
        }
        System.out.println("done");
    }
}

import java.util.concurrent.locks.LockSupport;

/** Threads in every state, named for it. */
public class States {
    static final Object LOCK = new Object();
    static final Object OTHER = new Object();
    static volatile boolean stop;

    static void start(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        thread.start();
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
        start("spinning", () -> {
            while (!stop) { }
        });
        start("interrupted", () -> {
            Thread.currentThread().interrupt();
            while (!stop) { }
        });
        start("native", () -> {
            while (!stop) Native.rest(20);
        });
        start("sleeping", () -> quiet(() -> {
            while (!stop) Thread.sleep(50);
        }));
        start("waiting", () -> quiet(() -> {
            synchronized (OTHER) {
                while (!stop) OTHER.wait();
            }
        }));
        start("waiting-timed", () -> quiet(() -> {
            synchronized (OTHER) {
                while (!stop) OTHER.wait(100000);
            }
        }));
        start("parked", () -> {
            while (!stop) LockSupport.park();
        });
        start("parked-timed", () -> {
            while (!stop) LockSupport.parkNanos(100000000000L);
        });
        synchronized (LOCK) {
            start("blocked", () -> {
                synchronized (LOCK) {
                    if (!stop) System.out.println("not blocked");
                }
            });
            Thread.sleep(300);
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

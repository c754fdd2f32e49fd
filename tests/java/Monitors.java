import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Threads that own, wait for and wait on monitors: {@code dump}, {@code storm DUMPS}, {@code fight MILLIS}. */
public class Monitors {
    static class Entered { }
    static class Kept { }
    static class WaitedOn { }
    static class Slept { }
    static class One { }
    static class Other { }

    static final Object ENTERED = new Entered(), KEPT = new Kept(), WAITED_ON = new WaitedOn(), SLEPT = new Slept();
    static final Object ONE = new One(), OTHER = new Other();
    static volatile boolean oneHeld, otherHeld, entered;
    /* What becomes of each thread of the dump, and how many are about to. */
    static final Map<Thread, Thread.State> ENDS = new HashMap<>();
    static final AtomicInteger ARRIVED = new AtomicInteger();

    interface Body {
        void run() throws Exception;
    }

    static Thread start(String name, Body body) {
        Thread thread = new Thread(() -> {
            try {
                body.run();
            } catch (Exception e) {
                System.out.println(e);
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    static void start(String name, Thread.State end, Body body) {
        ENDS.put(start(name, body), end);
    }

    static void arrive() {
        ARRIVED.incrementAndGet();
    }

    static void settle() throws Exception {
        while (ARRIVED.get() < ENDS.size()) Thread.sleep(1);
        for (Map.Entry<Thread, Thread.State> end : ENDS.entrySet())
            while (end.getKey().getState() != end.getValue()) Thread.sleep(1);
    }

    static synchronized void ofTheClass() {
        arrive();
        LockSupport.park();
    }

    static void dump() throws Exception {
        start("holder", Thread.State.WAITING, () -> {
            synchronized (ENTERED) {
                synchronized (ENTERED) {
                    synchronized (ENTERED) {
                        entered = true;
                        arrive();
                        LockSupport.park();
                    }
                }
            }
        });
        while (!entered) Thread.sleep(1);
        for (String name : new String[] { "blocked-1", "blocked-2" })
            start(name, Thread.State.BLOCKED, () -> {
                arrive();
                synchronized (ENTERED) {
                    System.out.println("not blocked");
                }
            });
        start("waiter", Thread.State.WAITING, () -> {
            synchronized (KEPT) {
                synchronized (WAITED_ON) {
                    synchronized (WAITED_ON) {
                        arrive();
                        WAITED_ON.wait();
                    }
                }
            }
        });
        start("timed", Thread.State.TIMED_WAITING, () -> {
            synchronized (WAITED_ON) {
                arrive();
                WAITED_ON.wait(1000000);
            }
        });
        start("sleeper", Thread.State.TIMED_WAITING, () -> {
            synchronized (SLEPT) {
                arrive();
                Thread.sleep(1000000);
            }
        });
        start("dead-1", Thread.State.BLOCKED, () -> {
            synchronized (ONE) {
                oneHeld = true;
                while (!otherHeld) Thread.sleep(1);
                arrive();
                synchronized (OTHER) {
                    System.out.println("no deadlock");
                }
            }
        });
        start("dead-2", Thread.State.BLOCKED, () -> {
            synchronized (OTHER) {
                otherHeld = true;
                while (!oneHeld) Thread.sleep(1);
                arrive();
                synchronized (ONE) {
                    System.out.println("no deadlock");
                }
            }
        });
        start("of-the-class", Thread.State.WAITING, Monitors::ofTheClass);
        start("spinning", Thread.State.RUNNABLE, () -> {
            arrive();
            for (;;) { }
        });
        settle();
        synchronized (KEPT.getClass()) {
            Native.check("dump");
        }
        System.out.println("dumped");
        Thread.sleep(1000000);
    }

    static class Fresh extends ClassLoader {
        Class<?> load(byte[] bytes) {
            return defineClass("Plain", bytes, 0, bytes.length);
        }
    }

    /** 50 threads fight over 20 locks, others start and end, and classes load. */
    static void storm() throws Exception {
        Object[] locks = new Object[20];
        for (int i = 0; i < locks.length; i++) locks[i] = new Object();
        java.io.InputStream in = Monitors.class.getResourceAsStream("Plain.class");
        byte[] bytes = new byte[100000];
        int length = 0;
        for (int n; (n = in.read(bytes, length, bytes.length - length)) > 0; ) length += n;
        byte[] plain = java.util.Arrays.copyOf(bytes, length);
        for (int i = 0; i < 50; i++) {
            int number = i;
            start("fighter-" + i, () -> {
                java.util.Random random = new java.util.Random(number);
                for (;;) {
                    Object lock = locks[random.nextInt(locks.length)];
                    synchronized (lock) {
                        synchronized (lock) {
                            if (random.nextInt(4) == 0) lock.wait(1);
                            else if (random.nextInt(4) == 0) lock.notifyAll();
                            else if (random.nextInt(4) == 0) Thread.sleep(0, 1000);
                        }
                    }
                    if (random.nextInt(8) == 0) Thread.sleep(1);
                }
            });
        }
        for (int i = 0; i < 2; i++)
            start("starter-" + i, () -> {
                for (;;) {
                    Thread[] threads = new Thread[5];
                    for (int t = 0; t < threads.length; t++)
                        threads[t] = start("short-lived", () -> {
                            synchronized (locks[0]) {
                                locks[0].notify();
                            }
                        });
                    for (Thread thread : threads) thread.join();
                }
            });
        start("loader", () -> {
            for (;;) {
                new Fresh().load(plain).getDeclaredMethods();
                Thread.sleep(1);
            }
        });
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("dump")) {
            dump();
            return;
        }
        storm();
        if (arguments[0].equals("storm")) Native.check("storm " + arguments[1]);
        else Thread.sleep(Integer.parseInt(arguments[1]));
        System.out.println("done");
    }
}

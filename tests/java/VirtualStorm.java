import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * So many virtual threads, or such for so many seconds ({@code 60s}), that sleep, yield, lock, wait, notify,
 * recurse, throw, allocate and hand over, on a JDK that has them, a thousand at a time. At the end it says
 * how many there were and how often its methods were called.
 */
public class VirtualStorm {
    static final Object[] LOCKS = new Object[16];
    static final ReentrantLock LOCK = new ReentrantLock();
    static final AtomicLong WORKS = new AtomicLong();
    static final AtomicLong RECURSIONS = new AtomicLong();
    static final AtomicLong THROWS = new AtomicLong();
    static final AtomicLong CELLS = new AtomicLong();
    /** What has been handed over less what has been received. */
    static final AtomicLong UNDER_WAY = new AtomicLong();
    static final SynchronousQueue<Integer> QUEUE = new SynchronousQueue<>();
    static final Letterbox LETTERBOX = new Letterbox();
    /** Who waits for a letter, or for room, keeps its carrier on JDK 21: one of each at a time. */
    static final Semaphore TAKERS = new Semaphore(1), PUTTERS = new Semaphore(1);
    static volatile Object sink;

    static final class Cell {
        long a, b;
    }

    /** Has room for one letter. */
    static final class Letterbox {
        private int letter = -1;

        synchronized void put(int number) throws InterruptedException {
            while (letter >= 0) {
                wait();
            }
            letter = number;
            notifyAll();
        }

        synchronized int take() throws InterruptedException {
            while (letter < 0) {
                wait();
            }
            int taken = letter;
            letter = -1;
            notifyAll();
            return taken;
        }
    }

    /** From those with an even number to those with an odd one. */
    static void handOver(int number) throws InterruptedException {
        boolean gives = number % 2 == 0;
        if (gives) {
            UNDER_WAY.addAndGet(number);
        }
        if (number / 2 % 8 != 0) {
            if (gives) {
                QUEUE.put(number);
            } else {
                UNDER_WAY.addAndGet(-QUEUE.take());
            }
            return;
        }
        Semaphore turn = gives ? PUTTERS : TAKERS;
        turn.acquire();
        try {
            if (gives) {
                LETTERBOX.put(number);
            } else {
                UNDER_WAY.addAndGet(-LETTERBOX.take());
            }
        } finally {
            turn.release();
        }
    }

    static final class Forced { }

    /** As often as it says, one of them finds a lock taken that it wants. */
    static int contend(Method start) throws Exception {
        final int times = 10, atOnce = 2;
        Forced lock = new Forced();
        AtomicLong wanted = new AtomicLong();
        Runnable enters = () -> {
            wanted.incrementAndGet();
            synchronized (lock) {
                sink = lock;
            }
        };
        for (int i = 0; i < times; i++) {
            Thread[] threads = new Thread[atOnce];
            synchronized (lock) {
                for (int j = 0; j < atOnce; j++) {
                    threads[j] = (Thread) start.invoke(null, enters);
                }
                for (Thread thread : threads) {
                    // Before, it may be blocked elsewhere.
                    while (wanted.get() < (i + 1) * atOnce || thread.getState() != Thread.State.BLOCKED) {
                        Thread.yield();
                    }
                }
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
        return times * atOnce;
    }

    static int recurse(int depth) {
        RECURSIONS.incrementAndGet();
        if (depth > 0) {
            return 1 + recurse(depth - 1);
        }
        Thread.yield();
        return 0;
    }

    static void fail(int depth) {
        THROWS.incrementAndGet();
        if (depth == 0) {
            throw new IllegalStateException();
        }
        try {
            fail(depth - 1);
        } finally {
            if (depth == 3) {
                Thread.yield();
            }
        }
    }

    static void allocate() {
        for (int i = 0; i < 10; i++) {
            CELLS.incrementAndGet();
            sink = new Cell();
        }
        Thread.yield();
    }

    static void work(int number) throws InterruptedException {
        WORKS.incrementAndGet();
        Random random = new Random(number);
        for (int i = 0; i < 4; i++) {
            Object lock = LOCKS[random.nextInt(LOCKS.length)];
            switch (random.nextInt(7)) {
                case 0:
                    Thread.sleep(random.nextInt(3));
                    break;
                case 1:
                    synchronized (lock) {
                        recurse(5);
                    }
                    break;
                case 2:
                    synchronized (lock) {
                        lock.wait(1 + random.nextInt(3));
                    }
                    break;
                case 3:
                    recurse(20);
                    break;
                case 4:
                    try {
                        fail(8);
                    } catch (IllegalStateException e) {
                        break;
                    }
                    break;
                case 5:
                    allocate();
                    break;
                default:
                    LOCK.lock();
                    try {
                        recurse(3);
                    } finally {
                        LOCK.unlock();
                    }
            }
        }
        handOver(number);
        if (number % 50 == 0) {
            throw new IllegalArgumentException("it ends by an exception");
        }
    }

    static void run(int number) {
        try {
            work(number);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    public static void main(String[] arguments) throws Exception {
        final int many = 1000;
        boolean timed = arguments[0].endsWith("s");
        int limit = Integer.parseInt(arguments[0].replace("s", ""));
        int count = timed ? Integer.MAX_VALUE : limit;
        long end = timed ? System.nanoTime() + limit * 1_000_000_000L : Long.MAX_VALUE;
        int from = 0;
        for (int i = 0; i < LOCKS.length; i++) {
            LOCKS[i] = new Object();
        }
        Thread.setDefaultUncaughtExceptionHandler((thread, exception) -> {
            if (!(exception instanceof IllegalArgumentException)) {
                System.out.println(exception);
            }
        });
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        int contended = contend(start);
        while (from < count && System.nanoTime() < end) {
            List<Thread> threads = new ArrayList<>();
            for (int i = from; i < Math.min(count, from + many); i++) {
                int number = i;
                threads.add((Thread) start.invoke(null, (Runnable) () -> run(number)));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            from += threads.size();
        }
        System.out.println("threads " + (from + contended));
        System.out.println("contended " + contended);
        System.out.println("under way " + UNDER_WAY);
        System.out.println("work " + WORKS);
        System.out.println("recurse " + RECURSIONS);
        System.out.println("fail " + THROWS);
        System.out.println("Cell " + CELLS);
    }
}

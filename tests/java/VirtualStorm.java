import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * So many virtual threads that sleep, yield, lock, wait, recurse, throw and allocate, on a JDK that
 * has them, a thousand at a time. At the end it says how often its methods were called.
 */
public class VirtualStorm {
    static final Object[] LOCKS = new Object[16];
    static final ReentrantLock LOCK = new ReentrantLock();
    static final AtomicLong WORKS = new AtomicLong();
    static final AtomicLong RECURSIONS = new AtomicLong();
    static final AtomicLong THROWS = new AtomicLong();
    static final AtomicLong CELLS = new AtomicLong();
    static volatile Object sink;

    static final class Cell {
        long a, b;
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
        int count = Integer.parseInt(arguments[0]);
        for (int i = 0; i < LOCKS.length; i++) {
            LOCKS[i] = new Object();
        }
        Thread.setDefaultUncaughtExceptionHandler((thread, exception) -> {
            if (!(exception instanceof IllegalArgumentException)) {
                System.out.println(exception);
            }
        });
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        for (int from = 0; from < count; from += many) {
            List<Thread> threads = new ArrayList<>();
            for (int i = from; i < Math.min(count, from + many); i++) {
                int number = i;
                threads.add((Thread) start.invoke(null, (Runnable) () -> run(number)));
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
        System.out.println("work " + WORKS);
        System.out.println("recurse " + RECURSIONS);
        System.out.println("fail " + THROWS);
        System.out.println("Cell " + CELLS);
    }
}

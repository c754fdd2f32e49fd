import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Waits for what java.util.concurrent has, each 100 ms at least, and parks so often in known ways:
 * on virtual threads with the word {@code virtual}.
 */
public class HprofParks {
    static final class Blocker { }

    static final Blocker BLOCKER = new Blocker();
    static boolean virtual;

    /** Parks while it is initialised. */
    static class Initialised {
        static {
            permits(2);
        }

        static void touch() { }
    }

    static void initialise() {
        Initialised.touch();
    }

    static void nanos() {
        for (int i = 0; i < 5; i++) {
            LockSupport.parkNanos(BLOCKER, 1_000_000);
        }
    }

    /** Each returns at once. */
    static void permits(int times) {
        for (int i = 0; i < times; i++) {
            LockSupport.unpark(Thread.currentThread());
            LockSupport.park(BLOCKER);
        }
    }

    static void permitted() {
        permits(3);
    }

    static void interrupted() {
        Thread.currentThread().interrupt();
        LockSupport.park(BLOCKER);
        LockSupport.parkUntil(BLOCKER, System.currentTimeMillis() + 100_000);
        if (!Thread.interrupted()) {
            throw new AssertionError("the interrupt is gone");
        }
    }

    static void without() {
        Thread self = Thread.currentThread();
        LockSupport.unpark(self);
        LockSupport.park();
        LockSupport.unpark(self);
        LockSupport.parkNanos(Long.MAX_VALUE);
        LockSupport.parkUntil(1);
    }

    /** A virtual one cannot leave its carrier, up to JDK 23. */
    static synchronized void pinned() {
        permits(1);
        LockSupport.parkNanos(BLOCKER, 1_000_000);
    }

    static final ReentrantLock LOCK = new ReentrantLock();
    static final Condition CONDITION = LOCK.newCondition();
    static final Semaphore SEMAPHORE = new Semaphore(0);
    static final BlockingQueue<String> QUEUE = new ArrayBlockingQueue<>(1);
    static final FutureTask<String> FUTURE = new FutureTask<>(() -> "");
    static boolean signalled;

    static void lock() {
        LOCK.lock();
        LOCK.unlock();
    }

    static void acquire() {
        SEMAPHORE.acquireUninterruptibly();
    }

    static void take() {
        try {
            QUEUE.take();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static void await() {
        LOCK.lock();
        while (!signalled) {
            CONDITION.awaitUninterruptibly();
        }
        LOCK.unlock();
    }

    static void get() {
        try {
            FUTURE.get();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    static void signal() {
        LOCK.lock();
        signalled = true;
        CONDITION.signal();
        LOCK.unlock();
    }

    /** Until the program ends. */
    static void forever() {
        while (true) {
            LockSupport.park(BLOCKER);
        }
    }

    static Thread start(Runnable body) throws Exception {
        if (virtual) {
            // By reflection: the compiler may be of a JDK before 21.
            return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
        }
        Thread thread = new Thread(body);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    static Thread waiting(Runnable body) throws Exception {
        Thread thread = start(body);
        while (thread.getState() != Thread.State.WAITING) {
            Thread.sleep(1);
        }
        return thread;
    }

    static void wait(Runnable waiter, Runnable end) throws Exception {
        Thread thread = waiting(waiter);
        Thread.sleep(100);
        end.run();
        thread.join();
    }

    public static void main(String[] words) throws Exception {
        virtual = words.length > 0;
        Runnable[] known = {
            HprofParks::initialise, HprofParks::nanos, HprofParks::permitted, HprofParks::interrupted,
            HprofParks::without, HprofParks::pinned,
        };
        for (Runnable body : known) {
            start(body).join();
        }
        LOCK.lock();
        wait(HprofParks::lock, LOCK::unlock);
        wait(HprofParks::acquire, SEMAPHORE::release);
        wait(HprofParks::take, () -> QUEUE.add(""));
        wait(HprofParks::await, HprofParks::signal);
        wait(HprofParks::get, FUTURE);
        waiting(HprofParks::forever);
        System.out.println("done");
    }
}

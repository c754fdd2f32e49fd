import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * For the agent {@code virtual_late}: virtual threads that are parked, in Object.wait, pinned or running
 * when its events are enabled; then they make steps and wait, and so do new ones.
 */
public class VirtualLate {
    static final int PARKED = 20, NEW = 20, STEPS = 10, WAITS = 3;
    static final CountDownLatch END = new CountDownLatch(1);
    static final Object SHARED = new Object();
    static final List<Thread> THREADS = new ArrayList<>();
    static final AtomicInteger SPINNING = new AtomicInteger();
    static volatile boolean stop;
    static volatile long spun;

    static void step() {
        Thread.yield();
    }

    /** What each does once the events are enabled. */
    static void works() {
        Object lock = new Object();
        for (int i = 0; i < STEPS; i++) {
            step();
        }
        try {
            for (int i = 0; i < WAITS; i++) {
                synchronized (lock) {
                    lock.wait(1);
                }
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static void parks() {
        try {
            END.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        works();
    }

    static void waits() {
        synchronized (SHARED) {
            while (!stop) {
                try {
                    SHARED.wait();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        }
        works();
    }

    static void spins() {
        SPINNING.incrementAndGet();
        while (!stop) {
            spun++;
        }
        works();
    }

    /** A frame of the VM's lies between an initializer and who needs it: what waits there is pinned. */
    static class Pins {
        static {
            parks();
        }

        static void touch() {}
    }

    static void start(String name, Runnable body) {
        THREADS.add(VirtualThreads.start(name, body));
    }

    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < PARKED; i++) {
            start("old " + i, VirtualLate::parks);
        }
        start("old 20", VirtualLate::waits);
        start("old 21", Pins::touch);
        for (Thread thread : THREADS) {
            while (thread.getState() != Thread.State.WAITING) {
                Thread.yield();
            }
        }
        start("old 22", VirtualLate::spins);
        start("old 23", VirtualLate::spins);
        while (SPINNING.get() < 2) {
            Thread.yield();
        }
        Native.check("on");
        for (int i = 0; i < NEW; i++) {
            start("new " + i, VirtualLate::works);
        }
        stop = true;
        synchronized (SHARED) {
            SHARED.notifyAll();
        }
        END.countDown();
        for (Thread thread : THREADS) {
            thread.join();
        }
        System.out.println("done");
    }
}

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Few virtual threads that go from carrier to carrier in the middle of a method, while nobody takes the place
 * that they leave; at the end it says how many milliseconds that method took.
 */
public class VirtualHops {
    static final AtomicLong NANOS = new AtomicLong();
    static volatile long sink;

    static void hop() {
        long begun = System.nanoTime();
        work();
        LockSupport.parkNanos(500_000);
        work();
        NANOS.addAndGet(System.nanoTime() - begun);
    }

    static void work() {
        long value = 1;
        for (int i = 0; i < 500_000; i++) {
            value = value * 31 + i;
        }
        sink += value;
    }

    public static void main(String[] arguments) throws Exception {
        Thread[] threads = new Thread[3];
        Runnable hops = () -> {
            for (int i = 0; i < 100; i++) {
                hop();
            }
        };
        for (int i = 0; i < threads.length; i++) {
            threads[i] = (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, hops);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        // What is taken to run still would go on being billed.
        Thread.sleep(300);
        System.out.println("millis " + NANOS.get() / 1_000_000);
    }
}

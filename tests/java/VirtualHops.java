import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Few virtual threads that go from carrier to carrier in the middle of what they do, while nobody takes the place
 * that they leave: {@code calls}, of a method, and how many milliseconds it took; {@code cells}, that each makes,
 * and how many, one set of threads after another.
 */
public class VirtualHops {
    static class Cell {}

    static final AtomicLong NANOS = new AtomicLong();
    static volatile long sink;
    static volatile Cell last;

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

    static void hops() {
        for (int i = 0; i < 100; i++) {
            hop();
        }
    }

    /** Makes so many, and one for each step until it has been on two carriers. */
    static void makes(AtomicLong count) {
        Set<String> carriers = new HashSet<>();
        long all = count.get();
        for (long i = 0; i < all || carriers.size() < 2; i++) {
            last = new Cell();
            count.set(i + 1);
            carriers.add(VirtualClocks.carrier());
            if (i % 2 == 0) {
                Thread.yield();
            } else {
                LockSupport.parkNanos(1000);
            }
        }
    }

    static void calls() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            threads.add(VirtualThreads.start("hops", VirtualHops::hops));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        // What is taken to run still would go on being billed.
        Thread.sleep(300);
        System.out.println("millis " + NANOS.get() / 1_000_000);
    }

    static void cells() throws InterruptedException {
        for (int round = 0; round < 40; round++) {
            List<Thread> threads = new ArrayList<>();
            List<AtomicLong> counts = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                AtomicLong count = new AtomicLong(5 + i);
                counts.add(count);
                threads.add(VirtualThreads.start("cells " + round + "." + i, () -> makes(count)));
            }
            for (int i = 0; i < threads.size(); i++) {
                threads.get(i).join();
                System.out.println(threads.get(i).getName() + ": " + counts.get(i));
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("calls")) {
            calls();
        } else {
            cells();
        }
    }
}

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * For the agent {@code virtual_clocks}: virtual threads that compute in parts, yielding and parking in between, until
 * each has been on more than one carrier, and one that waits for them.
 */
public class VirtualClocks {
    static final int WORKERS = 4, PARTS = 40;

    /** As long as the agent says. */
    static void part() {
        Native.check("burn");
    }

    /** Nothing at all. */
    static void nothing() {}

    /** {@code VirtualThread[#22,worker 0]/runnable@ForkJoinPool-1-worker-1} */
    static String carrier() {
        String text = Thread.currentThread().toString();
        return text.substring(text.indexOf('@') + 1);
    }

    static void works() {
        Set<String> carriers = new HashSet<>();
        for (int i = 0; i < PARTS || carriers.size() < 2; i++) {
            part();
            carriers.add(carrier());
            if (i % 4 == 0) {
                LockSupport.parkNanos(1000);
            } else {
                Thread.yield();
            }
        }
    }

    static void waits(CountDownLatch ready, CountDownLatch end) {
        nothing();
        ready.countDown();
        try {
            end.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        nothing();
    }

    public static void main(String[] arguments) throws Exception {
        CountDownLatch ready = new CountDownLatch(1), end = new CountDownLatch(1);
        Thread waits = VirtualThreads.start("waits", () -> waits(ready, end));
        ready.await();
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < WORKERS; i++) {
            workers.add(VirtualThreads.start("works", VirtualClocks::works));
        }
        for (Thread worker : workers) {
            worker.join();
        }
        end.countDown();
        waits.join();
        System.out.println("done");
    }
}

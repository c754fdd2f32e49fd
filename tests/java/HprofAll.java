import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Something for each of HPROF's modes, in known amounts. */
public class HprofAll {
    static class Kept { int a; }
    static class Lock { }

    static final Lock LOCK = new Lock();
    static final List<Object> KEPT = new ArrayList<>();
    static double sink;

    static void keep() {
        for (int i = 0; i < 200; i++) {
            KEPT.add(new Kept());
        }
    }

    static int leaf(int i) {
        return i * 31;
    }

    static int calls() {
        int sum = 0;
        for (int i = 0; i < 1000; i++) {
            sum += leaf(i);
        }
        return sum;
    }

    /** Some 80 ms of the processor's time, and 60 ms of everybody's at least. */
    static void burn() {
        long end = System.nanoTime() + 60_000_000;
        double x = 1;
        for (int round = 0; round < 10_000 || System.nanoTime() < end; round++) {
            for (int i = 0; i < 1000; i++) {
                x = Math.sqrt(x + i);
            }
        }
        sink = x;
    }

    static void enter() {
        synchronized (LOCK) {
            sink++;
        }
    }

    public static void main(String[] words) throws Exception {
        keep();
        sink += calls();
        Thread waiter = new Thread(HprofAll::enter, "waiter");
        synchronized (LOCK) {
            waiter.start();
            while (waiter.getState() != Thread.State.BLOCKED) {
                Thread.sleep(1);
            }
            burn();
        }
        waiter.join();
        for (long end = System.nanoTime() + 2_000_000; System.nanoTime() < end; ) {
            LockSupport.parkNanos(LOCK, 1_000_000);
        }
        System.out.println("done");
    }
}

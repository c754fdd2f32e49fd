import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Threads that end when the program is told to go on: whether they are collected then. */
public class Collected {
    static final int MANY = 8;

    static List<WeakReference<Thread>> start(CountDownLatch end) {
        List<WeakReference<Thread>> started = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            Thread thread = new Thread(() -> {
                try {
                    end.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            thread.start();
            started.add(new WeakReference<>(thread));
        }
        return started;
    }

    static int left(List<WeakReference<Thread>> threads) {
        System.gc();
        int left = 0;
        for (WeakReference<Thread> thread : threads) {
            if (thread.get() != null) {
                left++;
            }
        }
        return left;
    }

    public static void main(String[] arguments) throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        List<WeakReference<Thread>> threads = start(end);
        Dumped.await();
        end.countDown();
        long limit = System.nanoTime() + 20_000_000_000L;
        int left = left(threads);
        while (left > 0 && System.nanoTime() < limit) {
            left = left(threads);
        }
        System.out.println("left " + left);
    }
}

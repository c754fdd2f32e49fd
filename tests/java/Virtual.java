import java.lang.reflect.Method;
import java.util.concurrent.CountDownLatch;

/** Virtual threads that wait, on a JDK that has them. */
public class Virtual {
    static final int N = 300;

    static void work(CountDownLatch done) {
        try {
            Thread.sleep(1);
        } catch (InterruptedException e) {
            return;
        }
        Thread.yield();
        done.countDown();
    }

    public static void main(String[] arguments) throws Exception {
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        CountDownLatch done = new CountDownLatch(N);
        for (int i = 0; i < N; i++) {
            start.invoke(null, (Runnable) () -> work(done));
        }
        done.await();
        System.out.println("done");
    }
}

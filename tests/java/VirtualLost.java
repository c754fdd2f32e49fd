import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/** Virtual threads that are parked for ever: some that nobody knows, and as many that somebody does; and some that end. */
public class VirtualLost {
    static final Thread[] KNOWN = new Thread[5000];

    static Thread start(String name, CountDownLatch parked) throws Exception {
        return VirtualThreads.start(name, () -> {
            parked.countDown();
            while (true) {
                LockSupport.park();
            }
        });
    }

    static void end(int count) throws Exception {
        for (int i = 0; i < count; i++) {
            VirtualThreads.start("ends", () -> {}).join();
        }
    }

    public static void main(String[] arguments) throws Exception {
        CountDownLatch parked = new CountDownLatch(KNOWN.length);
        for (int i = 0; i < KNOWN.length; i++) {
            start("lost", parked);
        }
        parked.await();
        end(100);
        Native.check("first");
        CountDownLatch more = new CountDownLatch(KNOWN.length);
        for (int i = 0; i < KNOWN.length; i++) {
            KNOWN[i] = start("known", more);
        }
        more.await();
        end(100);
        Native.check("then");
        System.out.println("done");
    }
}

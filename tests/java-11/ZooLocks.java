import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.nio.file.Paths;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

/**
 * A thread is in a class loader, which is locked, and wants a monitor. Its owner uses classes of
 * that loader; it asks the loader for nothing, unless somebody else makes it.
 */
public class ZooLocks {
    static final Object MONITOR = new Object();
    static final CountDownLatch OWNED = new CountDownLatch(1), IN_LOADER = new CountDownLatch(1);

    /** Not parallel-capable, and slow with one class. */
    static class Slow extends Zoo.Locked {
        @Override
        protected synchronized Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals("zoo.Fish")) {
                IN_LOADER.countDown();
                synchronized (MONITOR) {
                    System.out.println("the loader goes on");
                }
            }
            return super.loadClass(name, resolve);
        }
    }

    public static void main(String[] words) throws Exception {
        Zoo.classes = Paths.get(words[0]);
        Slow loader = new Slow();
        Class<?> shop = loader.loadClass("zoo.Shop");
        // Linked and initialised, by which no method of it runs.
        Method quiet = Class.forName("zoo.Quiet", true, loader).getMethod("work");
        Callable<?> work = words[1].equals("arrays") ? () -> Array.newInstance(shop, 3) : () -> quiet.invoke(null);

        Thread owner = new Thread(() -> {
            synchronized (MONITOR) {
                OWNED.countDown();
                await(IN_LOADER);
                try {
                    work.call();
                    System.out.println("done");
                } catch (Exception failed) {
                    System.out.println(failed);
                }
            }
        });
        Thread busy = new Thread(() -> {
            try {
                await(OWNED);
                loader.loadClass("zoo.Fish");
            } catch (ClassNotFoundException failed) {
                System.out.println(failed);
            }
        });
        for (Thread thread : new Thread[] { owner, busy }) {
            thread.setDaemon(true);
            thread.start();
        }
        // Nobody waits for so long who has not met a deadlock.
        owner.join(40_000);
        if (owner.isAlive()) {
            System.out.println("hangs");
            Runtime.getRuntime().halt(3);
        }
        busy.join();
        loader.report("the loader");
    }

    static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
    }
}

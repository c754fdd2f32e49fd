import java.util.concurrent.CountDownLatch;

/** For the agent `virtual_envs`: virtual threads of known names that go from carrier to carrier. */
public class VirtualEnvs {
    static int twice(int number) {
        return 2 * number;
    }

    static void step(int number) {
        Thread.yield();
    }

    static void parks(CountDownLatch ready, CountDownLatch end) {
        ready.countDown();
        try {
            end.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static void spins(CountDownLatch ready) {
        ready.countDown();
        while (!stop) {
            spun++;
        }
    }

    static void asks() {
        Native.check("own");
    }

    static CountDownLatch initializes, initialized;

    /** A frame of the VM's lies between an initializer and who needs it: what waits there is pinned. */
    static class Pins {
        static {
            parks(initializes, initialized);
        }

        static void touch() {}
    }

    static volatile boolean stop;
    static volatile long spun;

    public static void main(String[] arguments) throws Exception {
        CountDownLatch ready = new CountDownLatch(2), end = new CountDownLatch(1);
        Thread parked = VirtualThreads.start("parked", () -> parks(ready, end));
        initializes = new CountDownLatch(1);
        initialized = end;
        Thread pinned = VirtualThreads.start("pinned", Pins::touch);
        initializes.await();
        Thread spinning = VirtualThreads.start("spinning", () -> spins(ready));
        ready.await();
        while (parked.getState() != Thread.State.WAITING || pinned.getState() != Thread.State.WAITING) {
            spun++;
        }
        Native.check("look");
        VirtualThreads.start("asks", VirtualEnvs::asks).join();
        Thread[] stepping = new Thread[10];
        for (int i = 0; i < stepping.length; i++) {
            stepping[i] = VirtualThreads.start("stepping", () -> {
                for (int j = 0; j < 50; j++) {
                    step(j);
                }
            });
        }
        for (Thread thread : stepping) {
            thread.join();
        }
        stop = true;
        end.countDown();
        parked.join();
        pinned.join();
        spinning.join();
        Native.check("ended");
        System.out.println("done");
    }
}

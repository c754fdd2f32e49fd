import java.util.concurrent.CyclicBarrier;

/** Threads that all have METHOD_ENTRY enabled at the same moment, and then call a method. */
public class FirstHooks {
    static final int THREADS = 8;
    static volatile int sink;

    static void call() {
        sink++;
    }

    static class Caller extends Thread {
        final CyclicBarrier start;

        Caller(CyclicBarrier start) {
            this.start = start;
        }

        @Override
        public void run() {
            try {
                start.await();
            } catch (Exception impossible) {
                throw new AssertionError(impossible);
            }
            Native.check("on");
            for (int i = 0; i < 20; i++) {
                call();
            }
            Native.check("off");
        }
    }

    public static void main(String[] arguments) throws Exception {
        CyclicBarrier start = new CyclicBarrier(THREADS);
        Thread[] callers = new Thread[THREADS];
        Native.rest(0);
        for (int i = 0; i < THREADS; i++) {
            callers[i] = new Caller(start);
            callers[i].start();
        }
        for (Thread caller : callers) {
            caller.join();
        }
        System.out.println("done");
    }
}

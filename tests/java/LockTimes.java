/** Four threads lose time to three locks, to each another amount. */
public class LockTimes {
    static class Short { }
    static class Middle { }
    static class Long { }

    static final Object[] LOCKS = { new Short(), new Middle(), new Long() };
    static final int[] MILLIS = { 3, 6, 12 };

    public static void main(String[] arguments) throws Exception {
        Native.check("nothing");
        Thread[] threads = new Thread[4];
        for (int t = 0; t < threads.length; t++) {
            threads[t] = new Thread(() -> {
                for (int i = 0; i < 60; i++) {
                    int which = i / 20;
                    synchronized (LOCKS[which]) {
                        long until = System.nanoTime() + MILLIS[which] * 1000000L;
                        while (System.nanoTime() < until)
                            java.util.concurrent.locks.LockSupport.parkNanos(until - System.nanoTime());
                    }
                    // Or it would come back before those who wait have woken.
                    java.util.concurrent.locks.LockSupport.parkNanos(1000000L);
                }
            });
        }
        for (Thread thread : threads) thread.start();
        for (Thread thread : threads) thread.join();
        Native.check("times");
        System.out.println("done");
    }
}

import java.lang.reflect.Method;

/** Two virtual threads that compute for so many ms, on a JDK that has them. */
public class Spinning {
    static volatile long sink;

    static void compute(long millis) {
        long end = System.nanoTime() + millis * 1_000_000;
        long sum = 1;
        while (System.nanoTime() < end) {
            for (int i = 0; i < 1000; i++) {
                sum = sum * 31 + i;
            }
        }
        sink += sum;
    }

    public static void main(String[] arguments) throws Exception {
        long millis = Long.parseLong(arguments[0]);
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        Thread[] threads = new Thread[2];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = (Thread) start.invoke(null, (Runnable) () -> compute(millis));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("done");
    }
}

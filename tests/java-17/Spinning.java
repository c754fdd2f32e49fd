import java.io.File;
import java.lang.reflect.Method;

/** Two virtual threads that compute for so many ms, as long as they have to wait for that time of a processor, or until
 *  there is a file `end`, on a JDK that has them. */
public class Spinning {
    static volatile long sink;

    static volatile boolean ends;

    static void compute() {
        long sum = 1;
        while (!ends) {
            for (int i = 0; i < 1000; i++) {
                sum = sum * 31 + i;
            }
        }
        sink += sum;
    }

    /** Of the whole process. */
    static long processorMillis() {
        return ProcessHandle.current().info().totalCpuDuration().get().toMillis();
    }

    public static void main(String[] arguments) throws Exception {
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        Thread[] threads = new Thread[2];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = (Thread) start.invoke(null, (Runnable) () -> compute());
        }
        if (arguments.length > 0) {
            long millis = Long.parseLong(arguments[0]);
            long until = processorMillis() + millis;
            do {
                Thread.sleep(millis);
            } while (processorMillis() < until);
        } else {
            System.out.println("ready");
            while (!new File("end").exists()) {
                Thread.sleep(20);
            }
        }
        ends = true;
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("done");
    }
}

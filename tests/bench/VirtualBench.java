import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * {@code yield}: nanoseconds of a yield; {@code start}: of a virtual thread from its start to its end;
 * {@code alive}: bytes that the process takes for each of 100,000 that are parked; {@code million}:
 * how many times the memory after 200,000 is after a million.
 */
public class VirtualBench {
    static Method start;

    static Thread start(Runnable body) throws ReflectiveOperationException {
        return (Thread) start.invoke(null, body);
    }

    static double best(int rounds, int count, Round round) throws Exception {
        double best = Double.MAX_VALUE;
        for (int i = 0; i < rounds; i++) {
            long begun = System.nanoTime();
            round.run(count);
            best = Math.min(best, (double) (System.nanoTime() - begun) / count);
        }
        return best;
    }

    interface Round {
        void run(int count) throws Exception;
    }

    static void yields(int count) throws Exception {
        start(() -> {
            for (int i = 0; i < count; i++) {
                Thread.yield();
            }
        }).join();
    }

    static void starts(int count) throws Exception {
        final int atOnce = 1000;
        for (int from = 0; from < count; from += atOnce) {
            CountDownLatch ended = new CountDownLatch(atOnce);
            for (int i = 0; i < atOnce; i++) {
                start(ended::countDown);
            }
            ended.await();
        }
    }

    /** Bytes in memory. */
    static long taken() throws IOException {
        System.gc();
        for (String line : Files.readAllLines(Paths.get("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return 1024 * Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        throw new IOException("no VmRSS");
    }

    static double alive(int count) throws Exception {
        starts(10_000);
        long before = taken();
        CountDownLatch parked = new CountDownLatch(count), end = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            threads.add(start(() -> {
                parked.countDown();
                try {
                    end.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }));
        }
        parked.await();
        double each = (double) (taken() - before) / count;
        end.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        return each;
    }

    static double million() throws Exception {
        starts(200_000);
        double before = taken();
        starts(800_000);
        return taken() / before;
    }

    public static void main(String[] arguments) throws Exception {
        start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        double figure;
        switch (arguments[0]) {
            case "yield":
                figure = best(10, 200_000, VirtualBench::yields);
                break;
            case "start":
                figure = best(10, 50_000, VirtualBench::starts);
                break;
            case "alive":
                figure = alive(100_000);
                break;
            default:
                figure = million();
        }
        System.out.println(figure);
    }
}

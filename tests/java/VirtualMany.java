import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Very many virtual threads, one after another and many at once, twice: how many KiB the process
 * has after the first time and after the second. Arguments: how many in all, how many at once.
 */
public class VirtualMany {
    static Method start;

    static Thread start(Runnable body) throws ReflectiveOperationException {
        return (Thread) start.invoke(null, body);
    }

    static void oneAfterAnother(int count) throws Exception {
        final int batch = 1000;
        for (int from = 0; from < count; from += batch) {
            CountDownLatch ended = new CountDownLatch(batch);
            for (int i = 0; i < batch; i++) {
                start(ended::countDown);
            }
            ended.await();
        }
    }

    static void atOnce(int count) throws Exception {
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
        end.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    static long taken() throws IOException {
        System.gc();
        for (String line : Files.readAllLines(Paths.get("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        throw new IOException("no VmRSS");
    }

    public static void main(String[] arguments) throws Exception {
        int all = Integer.parseInt(arguments[0]), atOnce = Integer.parseInt(arguments[1]);
        start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        oneAfterAnother(all / 5);
        atOnce(atOnce);
        System.out.println("before " + taken());
        oneAfterAnother(all - all / 5);
        atOnce(atOnce);
        System.out.println("after " + taken());
    }
}

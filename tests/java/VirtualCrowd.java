import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * {@code VirtualCrowd WAITS COUNT}: a virtual thread that works, alone and then beside so many that are parked,
 * either until HPROF's sampler has waited so often; how often it has then, and how many ns it has used. Both are the
 * kernel's, and depend on nothing else that the machine has to do.
 */
public class VirtualCrowd {
    static volatile long sum = 1;
    static volatile int phase;

    // No common method: each is to be on top itself.
    static long warms(long x) { for (int i = 0; i < 100_000; i++) x = x * 6364136223846793005L + 1442695040888963407L; return x; }
    static long alone(long x) { for (int i = 0; i < 100_000; i++) x = x * 6364136223846793005L + 1442695040888963407L; return x; }
    static long beside(long x) { for (int i = 0; i < 100_000; i++) x = x * 6364136223846793005L + 1442695040888963407L; return x; }

    static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static void works(CountDownLatch crowd) {
        while (phase == 0) {
            sum = warms(sum);
        }
        while (phase == 1) {
            sum = alone(sum);
        }
        await(crowd);
        while (phase == 2) {
            sum = beside(sum);
        }
    }

    /** The sampler's folder in /proc. */
    static String sampler() throws IOException {
        for (File task : new File("/proc/self/task").listFiles()) {
            // "HPROF CPU profi", and from JDK 26 on "HPROF C..ofiler".
            if (new String(Files.readAllBytes(Paths.get(task + "/comm"))).startsWith("HPROF C")) {
                return task.getPath();
            }
        }
        throw new IOException("no sampler");
    }

    static long waits(String sampler) throws IOException {
        for (String line : Files.readAllLines(Paths.get(sampler, "status"))) {
            if (line.startsWith("voluntary_ctxt_switches:")) {
                return Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        throw new IOException("no voluntary_ctxt_switches");
    }

    static long nanos(String sampler) throws IOException {
        return Long.parseLong(new String(Files.readAllBytes(Paths.get(sampler, "schedstat"))).split(" ")[0]);
    }

    /** How often it waits and what it uses in this phase. */
    static String during(int next, String sampler, int count) throws Exception {
        phase = next;
        long before = waits(sampler), nanos = nanos(sampler);
        while (waits(sampler) < before + count) {
            Thread.sleep(5);
        }
        return (waits(sampler) - before) + " " + (nanos(sampler) - nanos);
    }

    public static void main(String[] arguments) throws Exception {
        int waits = Integer.parseInt(arguments[0]), count = Integer.parseInt(arguments[1]);
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        CountDownLatch crowd = new CountDownLatch(count), end = new CountDownLatch(1);
        String sampler = sampler();
        Thread works = (Thread) start.invoke(null, (Runnable) () -> works(crowd));
        // Its first looks name all methods.
        during(0, sampler, waits / 2);
        System.out.println("alone " + during(1, sampler, waits));
        phase = 2;
        List<Thread> parked = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            parked.add((Thread) start.invoke(null, (Runnable) () -> {
                crowd.countDown();
                await(end);
            }));
        }
        await(crowd);
        System.out.println("beside " + during(2, sampler, waits));
        phase = 3;
        works.join();
        end.countDown();
        for (Thread thread : parked) {
            thread.join();
        }
        System.out.println("done");
    }
}

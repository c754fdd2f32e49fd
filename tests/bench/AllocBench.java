import java.io.FileInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.concurrent.CyclicBarrier;

/**
 * Allocates, dies, lives: the programs behind the figures of objects. Prints `name value` lines.
 *
 *   alloc small|array THREADS ROUNDS SIZE   ns per allocation; collections every fifth round, not timed
 *   churn small|array THREADS ROUNDS SIZE   the same with the collections as they come, timed
 *   die BATCHES SIZE                        ns per object for making a batch, and for its death
 *   live SIZE                               resident memory with so many objects alive
 *
 * Of the clock and of the threads' own time the lower quartile of the rounds counts: others who
 * use the machine only ever add.
 */
public class AllocBench {
    static final class Small {
        int value;
    }

    /** What is stored here escapes: C2 must really make it. */
    static final int RING = 1024;
    static volatile Object sink;

    /** User and system time of the process so far, in ns; what other processes take is not in it. */
    static long cpu() throws IOException {
        byte[] text = new byte[512];
        int length;
        try (FileInputStream in = new FileInputStream("/proc/self/stat")) {
            length = in.read(text);
        }
        String[] fields = new String(text, 0, length, "ISO-8859-1").replaceFirst(".*\\) ", "").split(" ");
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * 10_000_000L;
    }

    static long status(String name) throws IOException {
        byte[] text = new byte[8192];
        int length;
        try (FileInputStream in = new FileInputStream("/proc/self/status")) {
            length = in.read(text);
        }
        for (String line : new String(text, 0, length, "ISO-8859-1").split("\n")) {
            if (line.startsWith(name + ":")) return Long.parseLong(line.replaceAll("\\D", ""));
        }
        throw new IOException(name);
    }

    /** Collects, and waits until whatever follows a collection has stopped using the processor. */
    static void settle() throws Exception {
        System.gc();
        long deadline = System.nanoTime() + 10_000_000_000L;
        long before = cpu();
        for (int quiet = 0; quiet < 2 && System.nanoTime() < deadline; ) {
            Thread.sleep(60);
            long now = cpu();
            quiet = now - before <= 10_000_000L ? quiet + 1 : 0;
            before = now;
        }
    }

    static void small(Object[] ring, int count) {
        for (int i = 0; i < count; i++) {
            ring[i & RING - 1] = new Small();
        }
    }

    static void array(Object[] ring, int count) {
        for (int i = 0; i < count; i++) {
            ring[i & RING - 1] = new int[20];
        }
    }

    static void allocate(boolean arrays, Object[] ring, int count) {
        if (arrays) array(ring, count);
        else small(ring, count);
    }

    static double quartile(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 4];
    }

    static void rate(boolean apart, boolean arrays, int threads, int rounds, int size) throws Exception {
        int warm = rounds / 2;
        double[] wall = new double[rounds];
        double[][] own = new double[threads][rounds];
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        long used = 0;
        CyclicBarrier start = new CyclicBarrier(threads + 1), end = new CyclicBarrier(threads + 1);
        for (int t = 0; t < threads; t++) {
            Object[] ring = new Object[RING];
            double[] mine = own[t];
            Thread worker = new Thread(() -> {
                try {
                    for (int i = 0; i < warm + rounds; i++) {
                        start.await();
                        long from = clock.getCurrentThreadCpuTime();
                        allocate(arrays, ring, size);
                        if (i >= warm) mine[i - warm] = (clock.getCurrentThreadCpuTime() - from) / (double) size;
                        end.await();
                    }
                } catch (Exception failed) {
                    failed.printStackTrace();
                    System.exit(1);
                }
                sink = ring;
            });
            worker.start();
        }
        for (int i = 0; i < warm + rounds; i++) {
            if (apart && i % 5 == 0 || i == warm) settle();
            long cpu = cpu(), from = System.nanoTime();
            start.await();
            end.await();
            long to = System.nanoTime();
            if (i >= warm) {
                wall[i - warm] = (to - from) / (double) size;
                used += cpu() - cpu;
            }
        }
        // Wall and own are per allocation of one thread; CPU per allocation, whoever made it.
        System.out.println("wall " + quartile(wall));
        System.out.println("own " + Arrays.stream(own).mapToDouble(AllocBench::quartile).sum() / threads);
        System.out.println("cpu " + used / (double) rounds / size / threads);
        System.out.println("made " + (long) size * threads * (warm + rounds));
    }

    static void fill(Object[] batch) {
        for (int i = 0; i < batch.length; i++) batch[i] = new Small();
    }

    static void die(int batches, int size) throws Exception {
        int warm = 2;
        Object[] batch = new Object[size];
        double[] births = new double[batches], collections = new double[batches];
        long birth = 0, death = 0;
        for (int i = 0; i < warm + batches; i++) {
            settle();
            long cpu0 = cpu(), from = System.nanoTime();
            fill(batch);
            long cpu1 = cpu(), filled = System.nanoTime();
            Arrays.fill(batch, null);
            long dropped = System.nanoTime();
            System.gc();
            long collected = System.nanoTime();
            settle();
            long cpu2 = cpu();
            if (i < warm) continue;
            birth += cpu1 - cpu0;
            death += cpu2 - cpu1;
            births[i - warm] = (filled - from) / (double) size;
            collections[i - warm] = (collected - dropped) / (double) size;
        }
        double objects = (double) size * batches;
        System.out.println("birth_cpu " + birth / objects);
        System.out.println("death_cpu " + death / objects);
        System.out.println("cpu " + (birth + death) / objects);
        System.out.println("birth_wall " + quartile(births));
        System.out.println("gc_wall " + quartile(collections));
        System.out.println("made " + (long) size * (warm + batches));
    }

    static void live(int size) throws Exception {
        Object[] alive = new Object[size];
        fill(alive);
        sink = alive;
        settle();
        settle();
        System.out.println("rss_kb " + status("VmRSS"));
        System.out.println("peak_kb " + status("VmHWM"));
        System.out.println("made " + size);
    }

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "alloc":
            case "churn":
                rate(args[0].equals("alloc"), args[1].equals("array"), Integer.parseInt(args[2]),
                        Integer.parseInt(args[3]), Integer.parseInt(args[4]));
                break;
            case "die":
                die(Integer.parseInt(args[1]), Integer.parseInt(args[2]));
                break;
            case "live":
                live(Integer.parseInt(args[1]));
                break;
            default:
                throw new IllegalArgumentException(args[0]);
        }
    }
}

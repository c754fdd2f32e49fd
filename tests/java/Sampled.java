import java.util.Arrays;

/**
 * Threads allocate five kinds of objects in random order, of which one kind stays:
 * {@code Sampled THREADS OBJECTS}, so many objects a thread. Says {@code COUNT METHOD N} for each of
 * the methods that allocated, N objects in all, and collects the garbage before it ends.
 */
public class Sampled {
    static class Small {
        int value;
    }

    static final class Link {
        final Link next;

        Link(Link next) {
            this.next = next;
        }
    }

    static final String[] METHODS = { "small", "bytes", "longs", "copy", "link" };
    static volatile Object sink;

    static void small() {
        sink = new Small();
    }

    static void bytes() {
        sink = new byte[184];
    }

    /** Of many sizes. */
    static void longs(int length) {
        sink = new long[length];
    }

    static void copy(int[] original) {
        sink = original.clone();
    }

    static Link link(Link next) {
        return new Link(next);
    }

    static class Worker extends Thread {
        final int objects;
        final long[] counts = new long[METHODS.length];
        long random;
        Link kept;

        Worker(int number, int objects) {
            this.objects = objects;
            random = 0x9E3779B97F4A7C15L * (number + 1);
        }

        /** 0 to below. */
        int next(int below) {
            random ^= random << 13;
            random ^= random >>> 7;
            random ^= random << 17;
            return (int) ((random >>> 33) % below);
        }

        @Override
        public void run() {
            int[] original = new int[20];
            for (int done = 0; done < objects; done++) {
                int kind = next(METHODS.length);
                counts[kind]++;
                switch (kind) {
                    case 0: small(); break;
                    case 1: bytes(); break;
                    case 2: longs(8 + next(64)); break;
                    case 3: copy(original); break;
                    default: kept = link(kept); break;
                }
            }
        }
    }

    /** What they keep lives until the VM's end: a concurrent collection may come behind main. */
    static Worker[] workers;

    public static void main(String[] args) throws Exception {
        workers = new Worker[Integer.parseInt(args[0])];
        Arrays.setAll(workers, number -> new Worker(number, Integer.parseInt(args[1])));
        for (Worker worker : workers)
            worker.start();
        for (Worker worker : workers)
            worker.join();
        sink = null;
        System.gc();
        for (int kind = 0; kind < METHODS.length; kind++) {
            long sum = 0;
            for (Worker worker : workers)
                sum += worker.counts[kind];
            System.out.println("COUNT " + METHODS[kind] + " " + sum);
        }
        if (workers[0].kept == null)
            System.out.println("nothing was kept");
    }
}

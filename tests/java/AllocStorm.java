import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Threads allocate garbage and survivors: {@code AllocStorm THREADS ROUNDS} or
 * {@code AllocStorm THREADS MILLISms}, and behind that what goes on beside it:
 *
 *   stacks   a thread that asks for all stack traces in a loop
 *   churn    one that starts and ends threads
 *   gc       one that calls System.gc() in a loop
 *   hash     objects have identity hashes and are locked
 *
 * A round is 430 objects in about 100 KB. At the end it says COUNT NAME N, all
 * that were made, and LIVE NAME N, those that it still holds.
 */
public class AllocStorm {
    static final int RING = 500;

    static class Node {
        final Leaf leaf;
        final Node[] links;

        Node(Leaf leaf, Node[] links) {
            this.leaf = leaf;
            this.links = links;
        }
    }

    static class Leaf {
        long value;
    }

    static class Trash {
        int a, b;
        Object c;
    }

    static class Block { }

    static class Churned { }

    static volatile Object sink;
    static volatile boolean stopped;
    static Node[][] rings;
    static final AtomicLong NODES = new AtomicLong();
    static final AtomicLong LEAVES = new AtomicLong();
    static final AtomicLong TRASH = new AtomicLong();
    static final AtomicLong BLOCKS = new AtomicLong();
    static final AtomicLong CHURNED = new AtomicLong();
    static final AtomicInteger FAILED = new AtomicInteger();

    static class Allocator extends Thread {
        final int rounds;
        final long until;
        final Node[] ring;
        final boolean hash;
        long random;

        Allocator(int number, int rounds, long until, boolean hash) {
            super("storm-" + number);
            this.rounds = rounds;
            this.until = until;
            this.ring = rings[number];
            this.hash = hash;
            this.random = number * 7919 + 1;
        }

        int next(int below) {
            random = random * 6364136223846793005L + 1442695040888963407L;
            return (int) ((random >>> 33) % below);
        }

        void round() {
            for (int i = 0; i < 30; i++) {
                Leaf leaf = new Leaf();
                Node[] links = new Node[3];
                Node node = new Node(leaf, links);
                if (i % 3 != 0) {
                    // To the others' leaves only: chains of nodes would keep the dead.
                    int place = next(ring.length);
                    if (hash && i % 5 == 0) {
                        System.identityHashCode(node);
                        synchronized (leaf) {
                            leaf.value++;
                        }
                    }
                    ring[place] = node;
                } else {
                    sink = node;
                }
            }
            for (int i = 0; i < 320; i++) {
                Trash trash = new Trash();
                trash.c = ring;
                sink = trash;
            }
            for (int i = 0; i < 20; i++) {
                sink = new Block[1000 + i];
            }
        }

        public void run() {
            int done = 0;
            try {
                // A ring that was filled stays full.
                for (int i = 0; i < ring.length; i++) {
                    ring[i] = new Node(new Leaf(), new Node[3]);
                }
                while (until != 0 ? System.nanoTime() < until : done < rounds) {
                    round();
                    done++;
                }
            } catch (Throwable e) {
                e.printStackTrace();
                FAILED.incrementAndGet();
            }
            long nodes = ring.length + 30L * done;
            NODES.addAndGet(nodes);
            LEAVES.addAndGet(nodes);
            TRASH.addAndGet(320L * done);
            BLOCKS.addAndGet(20L * done);
        }
    }

    abstract static class Beside extends Thread {
        Beside(String name) {
            super(name);
            setDaemon(true);
        }

        abstract void once() throws Exception;

        public void run() {
            try {
                while (!stopped) {
                    once();
                }
            } catch (Exception e) {
                e.printStackTrace();
                FAILED.incrementAndGet();
            }
        }
    }

    static Beside beside(String word) {
        switch (word) {
        case "stacks":
            return new Beside(word) {
                void once() {
                    sink = Thread.getAllStackTraces();
                }
            };
        case "churn":
            return new Beside(word) {
                void once() throws Exception {
                    Thread[] some = new Thread[5];
                    for (int i = 0; i < some.length; i++) {
                        some[i] = new Thread("churn-" + i) {
                            public void run() {
                                sink = new Churned();
                            }
                        };
                        some[i].start();
                    }
                    for (Thread thread : some) {
                        thread.join();
                        CHURNED.incrementAndGet();
                    }
                }
            };
        case "gc":
            return new Beside(word) {
                void once() throws Exception {
                    System.gc();
                    Thread.sleep(20);
                }
            };
        default:
            throw new IllegalArgumentException(word);
        }
    }

    static void storm(int threads, String length, String[] arguments) throws Exception {
        int rounds = 0;
        long until = 0;
        if (length.endsWith("ms")) {
            until = System.nanoTime() + Long.parseLong(length.substring(0, length.length() - 2)) * 1000000L;
        } else {
            rounds = Integer.parseInt(length);
        }
        boolean hash = false;
        Beside[] besides = new Beside[arguments.length - 2];
        for (int i = 2; i < arguments.length; i++) {
            if (arguments[i].equals("hash")) {
                hash = true;
            } else {
                besides[i - 2] = beside(arguments[i]);
            }
        }
        rings = new Node[threads][RING];
        Allocator[] all = new Allocator[threads];
        for (int t = 0; t < threads; t++) {
            all[t] = new Allocator(t, rounds, until, hash);
            all[t].start();
        }
        for (Beside beside : besides) {
            if (beside != null) {
                beside.start();
            }
        }
        for (Allocator thread : all) {
            thread.join();
        }
        stopped = true;
        for (Beside beside : besides) {
            if (beside != null) {
                beside.join();
            }
        }
        sink = null;
    }

    /**
     * Two whole ones, since the first may have begun too early for some: each begins after what it
     * has to find, and is over when that is gone. What they found is told at the end at the latest.
     */
    static void collect() {
        for (int i = 0; i < 2; i++) {
            WeakReference<Object> gone = new WeakReference<>(new Object());
            do {
                System.gc();
            } while (gone.get() != null);
        }
    }

    public static void main(String[] arguments) throws Exception {
        // Links them: an array of a class that is not linked is told of without it.
        for (Class<?> nested : AllocStorm.class.getDeclaredClasses()) {
            nested.getDeclaredFields();
        }
        int threads = Integer.parseInt(arguments[0]);
        storm(threads, arguments[1], arguments);
        collect();
        long kept = (long) threads * RING;
        // Arrays of Node: the links of each, the rings; Node[][] holds those.
        System.out.println("COUNT AllocStorm$Block[] " + BLOCKS);
        System.out.println("COUNT AllocStorm$Churned " + CHURNED);
        System.out.println("COUNT AllocStorm$Leaf " + LEAVES);
        System.out.println("COUNT AllocStorm$Node " + NODES);
        System.out.println("COUNT AllocStorm$Node[] " + (NODES.get() + threads));
        System.out.println("COUNT AllocStorm$Node[][] 1");
        System.out.println("COUNT AllocStorm$Trash " + TRASH);
        System.out.println("LIVE AllocStorm$Block[] 0");
        System.out.println("LIVE AllocStorm$Churned 0");
        System.out.println("LIVE AllocStorm$Leaf " + kept);
        System.out.println("LIVE AllocStorm$Node " + kept);
        System.out.println("LIVE AllocStorm$Node[] " + (kept + threads));
        System.out.println("LIVE AllocStorm$Node[][] 1");
        System.out.println("LIVE AllocStorm$Trash 0");
        if (FAILED.get() != 0) {
            System.exit(1);
        }
    }
}

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * A little of each noun, as often in each run: what ports of the five agents in {@code legacy-agents} are held
 * against the agents with. With a word, {@code Ported MILLIS}: a thread that is busy for so long, and longer where it
 * has to wait for a processor, with shares that are the same in each run, and one that waits; {@code lambda} behind it:
 * below a lambda. With {@code exit} it ends by System.exit.
 */
public class Ported {
    static class Item implements Cloneable {
        int value;

        @Override
        public Item clone() {
            try {
                return (Item) super.clone();
            } catch (CloneNotSupportedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static class Base {
    }

    /** The verifier loads it, and nobody ever links it. */
    static class Unlinked extends Base {
    }

    /** Nobody holds it. */
    static class Garbage {
        final int[] room = new int[4];
    }

    static final Object LOCK = new Object();
    static final List<Item> kept = new ArrayList<>();
    static Object sink;
    static int sum;

    static void take(Base base) {
        sink = base;
    }

    static void never(Unlinked unlinked) {
        take(unlinked);
    }

    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static final class Worker extends Thread {
        Worker(int number) {
            super("worker-" + number);
        }

        @Override
        public void run() {
            for (int i = 0; i < 10; i++) {
                synchronized (LOCK) {
                    sum += fib(10);
                }
            }
        }
    }

    static void work() throws InterruptedException {
        List<Item> items = new ArrayList<>();
        Item first = new Item();
        for (int i = 0; i < 300; i++) {
            items.add(new Item());
            items.add(first.clone());
        }
        kept.addAll(items.subList(0, 40));
        Worker[] workers = new Worker[3];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Worker(i);
            workers[i].start();
        }
        for (Worker worker : workers) {
            worker.join();
        }
        synchronized (LOCK) {
            LOCK.wait(5);
        }
    }

    static long more(long times) {
        long rounds = 0;
        for (long i = 0; i < 2000 * times; i++) {
            rounds += rounds * 31 + i;
        }
        return rounds;
    }

    static long less(long times) {
        long rounds = 0;
        for (long i = 0; i < 2000 * times; i++) {
            rounds += rounds * 37 + i;
        }
        return rounds;
    }

    /** Three parts of its time in one method, one in another, in slices of many lengths. */
    static final class Busy extends Thread {
        /**
         * About a third of what it does in the three seconds that tests ask for. A sampler beside it waits for it to
         * have a processor: in less work than that there may be too few stacks to say anything.
         */
        static final int SLICES = 400;
        final Random lengths = new Random(42);
        final long end;

        Busy(long end) {
            super("busy");
            this.end = end;
        }

        /** Of work and not of time: waiting for a processor changes no shares then. */
        long slice(int parts) {
            return parts * (100L + lengths.nextInt(400));
        }

        @Override
        public void run() {
            long rounds = 0;
            for (int i = 0; i < SLICES || System.nanoTime() < end; i++) {
                rounds += more(slice(3)) + less(slice(1));
            }
            sink = rounds;
        }
    }

    static void keepBusy(int millis, boolean inLambda) throws InterruptedException {
        Thread busy = new Busy(System.nanoTime() + millis * 1_000_000L);
        if (inLambda) {
            Thread runs = busy;
            busy = new Thread(() -> runs.run(), "busy");
        }
        busy.start();
        busy.join();
    }

    public static void main(String[] words) throws InterruptedException {
        work();
        List<String> all = Arrays.asList(words);
        if (words.length > 0 && !words[0].equals("exit")) {
            // No collection here: on a busy machine one takes a share that no other run has.
            keepBusy(Integer.parseInt(words[0]), all.contains("lambda"));
        } else {
            System.gc();
        }
        for (int i = 0; i < 50; i++) {
            sink = new Garbage();
        }
        sink = null;
        System.out.println("sum " + sum);
        if (all.contains("exit")) {
            System.exit(0);
        }
    }
}

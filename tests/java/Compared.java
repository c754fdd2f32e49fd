import java.util.ArrayList;
import java.util.List;

/** A little of each noun, as often in each run: threads, classes, calls, births, waits, a collection. */
public class Compared {
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

    static final Object LOCK = new Object();
    static int sum;

    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static final class Worker extends Thread {
        Worker(int number) {
            super("worker-" + number);
        }

        @Override
        public void run() {
            for (int i = 0; i < 20; i++) {
                synchronized (LOCK) {
                    sum += fib(10);
                }
            }
        }
    }

    public static void main(String[] words) throws Exception {
        List<Item> items = new ArrayList<>();
        Item first = new Item();
        for (int i = 0; i < 300; i++) {
            items.add(new Item());
            items.add(first.clone());
        }
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
        items.clear();
        System.gc();
        System.out.println("sum " + sum);
    }
}

import java.util.ArrayList;
import java.util.List;

/**
 * {@code Tabled N}: threads that are named call a method N and 2 N times, each call makes an
 * object, and one of them waits for a lock. It says what a profiler is to find.
 */
public class Tabled {
    static class Item { long value; }
    static class Gate { }

    static final Object GATE = new Gate();
    static long waited;

    static Item step() {
        return new Item();
    }

    static Thread stepping(String name, int times) {
        return new Thread(() -> {
            List<Item> items = new ArrayList<>();
            for (int i = 0; i < times; i++)
                items.add(step());
            if (items.size() != times) throw new AssertionError();
        }, name);
    }

    public static void main(String[] arguments) throws Exception {
        int times = Integer.parseInt(arguments[0]);
        Thread[] threads = { stepping("tabled-one", times), stepping("tabled-two", 2 * times) };
        for (Thread thread : threads) thread.start();
        for (Thread thread : threads) thread.join();
        Thread waiting = new Thread(() -> {
            long before = System.nanoTime();
            synchronized (GATE) {
                waited = System.nanoTime() - before;
            }
        }, "tabled-waiting");
        synchronized (GATE) {
            waiting.start();
            while (waiting.getState() != Thread.State.BLOCKED)
                Thread.sleep(1);
            Thread.sleep(20);
        }
        waiting.join();
        System.out.println("ITEMS " + 3 * times);
        System.out.println("WAITED " + waited);
    }
}

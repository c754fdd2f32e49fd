import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A bit of everything for about a second; always the same output. */
public class Busy {
    static final Object LOCK = new Object();
    static int shared;

    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println("begin");
        int count = 0;
        for (int round = 0; round < 20; round++) {
            Thread[] threads = new Thread[10];
            for (int i = 0; i < threads.length; i++) {
                threads[i] = new Thread("short-" + count++) {
                    public void run() {
                        for (int k = 0; k < 100; k++) {
                            synchronized (LOCK) {
                                shared++;
                            }
                        }
                        fib(12);
                    }
                };
                threads[i].start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
        System.out.println("shared " + shared);
        ExecutorService pool = Executors.newFixedThreadPool(4);
        List<Future<Integer>> results = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            final int n = i % 20;
            results.add(pool.submit(() -> fib(n)));
        }
        int sum = 0;
        for (Future<Integer> result : results) {
            sum += result.get();
        }
        pool.shutdown();
        System.out.println("sum " + sum);
        ClassLoader loader = new Loads.Loader();
        for (int i = 0; i < 50; i++) {
            String name = "Busy_" + i;
            Class<?> made = ((Loads.Loader) loader).define(name, Loads.generate(name));
            sum += made.getMethods().length;
        }
        System.out.println("classes " + sum);
        try {
            Class.forName("No.Such");
        } catch (ClassNotFoundException e) {
            System.out.println("caught " + e.getMessage());
        }
        TreeMap<String, Integer> map = new TreeMap<>();
        for (int i = 0; i < 20000; i++) {
            map.merge("key" + i % 500, i, Integer::sum);
        }
        System.gc();
        System.out.println("map " + map.size() + " " + map.get("key7"));
        long until = System.nanoTime() + 400000000L;
        int deep = 0;
        while (System.nanoTime() < until) {
            deep |= fib(15);
        }
        System.out.println("deep " + deep);
        if (arguments.length > 0) {
            System.exit(Integer.parseInt(arguments[0]));
        }
    }
}

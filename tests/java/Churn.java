/** {@code Churn MILLIS [classes [awaited]]}: keeps 200 threads starting and ending for so long; it may load a class
 *  in each round, and go on until an agent has seen enough of it. */
public class Churn {
    public static void main(String[] arguments) throws Exception {
        long until = System.nanoTime() + Long.parseLong(arguments[0]) * 1000000L;
        boolean classes = arguments.length > 1;
        boolean awaited = arguments.length > 2;
        int ended = 0;
        int loaded = 0;
        do {
            Thread[] threads = new Thread[200];
            final Loads.Loader loader = new Loads.Loader();
            for (int i = 0; i < threads.length; i++) {
                final int number = i;
                threads[i] = new Thread("churn-" + i) {
                    public void run() {
                        try {
                            if (classes) {
                                String name = "Churned_" + number;
                                loader.define(name, Loads.generate(name)).getMethods();
                            }
                            if (number % 3 == 0) {
                                Thread.sleep(1);
                            }
                            Busy.fib(number % 15);
                        } catch (Exception e) {
                            System.out.println(e);
                        }
                    }
                };
                threads[i].start();
            }
            for (Thread thread : threads) {
                thread.join();
                ended++;
            }
            loaded += classes ? 200 : 0;
        } while (System.nanoTime() < until || awaited && !Enough.isSeen(until));
        System.out.println(ended % 200 == 0 && ended > 0 ? "all ended" : "lost " + ended);
        System.out.println(classes == (loaded == ended) ? "all loaded" : "lost classes");
    }
}

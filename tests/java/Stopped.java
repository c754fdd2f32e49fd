/** Threads that Thread.stop ends wherever they are: {@code CALLS} says how often the first
 *  method of each was called. */
public class Stopped {
    static int sum;

    static int dive(int depth) {
        return depth == 0 ? 1 : dive(depth - 1) + climb(depth - 1);
    }

    static int climb(int depth) {
        return depth % 3;
    }

    static void work() {
        while (true) {
            sum += dive(12);
        }
    }

    static void outer() {
        try {
            work();
        } catch (ThreadDeath expected) {
            sum++;
        }
    }

    @SuppressWarnings({"deprecation", "removal"})
    public static void main(String[] arguments) throws Exception {
        int stopped = 40;
        for (int i = 0; i < stopped; i++) {
            Thread thread = new Thread(Stopped::outer);
            // A second exception may come before the first is caught.
            thread.setUncaughtExceptionHandler((ended, death) -> { });
            thread.start();
            Thread.sleep(5 + i % 7);
            thread.stop();
            thread.join();
        }
        System.out.println("CALLS Stopped.outer " + stopped);
    }
}

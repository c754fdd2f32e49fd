/** Starts and ends 200 threads, 20 at a time. */
public class Threads {
    public static void main(String[] arguments) throws Exception {
        int count = 0;
        for (int round = 0; round < 10; round++) {
            Thread[] threads = new Thread[20];
            for (int i = 0; i < threads.length; i++) {
                threads[i] = new Thread("numbered-" + count++);
                threads[i].start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
        Thread thread = new Thread("throwing") {
            public void run() {
                throw new IllegalStateException("on purpose");
            }
        };
        thread.setUncaughtExceptionHandler((t, e) -> System.out.println("thrown"));
        thread.start();
        thread.join();
        ThreadGroup group = new ThreadGroup(new ThreadGroup("outer"), "inner");
        thread = new Thread(group, "grouped");
        thread.start();
        thread.join();
        System.out.println("done");
    }
}

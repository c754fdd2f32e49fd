/** Threads that call short methods while an agent wants to hear of their ends, too. */
public class ExitsLater {
    static volatile boolean stop;
    static volatile int sink;

    static int one(int i) {
        return i + 1;
    }

    static int two(int i) {
        return one(i) + one(i + 1);
    }

    static void call() {
        sink = two(sink) + String.valueOf(sink).length();
    }

    public static void main(String[] words) throws Exception {
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                while (!stop) {
                    call();
                }
            });
            threads[i].start();
        }
        Native.check("exits");
        for (int i = 0; i < 1000; i++) {
            call();
        }
        stop = true;
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("done");
    }
}

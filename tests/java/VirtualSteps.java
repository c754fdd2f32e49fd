/** The same steps on virtual threads, which leave their carriers in the middle, and on others. */
public class VirtualSteps {
    static final int N = 20;

    static int rounds(int count) {
        int sum = 0;
        for (int i = 0; i < count; i++) {
            if (i % 2 == 0) {
                sum += i;
            }
            Thread.yield();
        }
        return sum;
    }

    static Thread start(String kind, int number) {
        String name = kind + " " + number;
        Runnable body = () -> rounds(number);
        if (kind.equals("virtual")) {
            return VirtualThreads.start(name, body);
        }
        Thread thread = new Thread(body, name);
        thread.start();
        return thread;
    }

    public static void main(String[] arguments) throws Exception {
        Thread[] threads = new Thread[2 * N];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = start(i % 2 == 0 ? "virtual" : "platform", i / 2 + 1);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("done");
    }
}

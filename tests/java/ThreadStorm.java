import java.io.File;

/** Threads that come and go, with something on their stacks, until the file END is there. */
public class ThreadStorm {
    static volatile Object seen;
    static volatile boolean over;

    static void briefly(int depth, Object mine) {
        if (depth > 0) {
            briefly(depth - 1, new int[] {depth});
        }
        seen = mine;
    }

    static void storm() {
        Thread[] threads = new Thread[8];
        for (int i = 0; !over; i = (i + 1) % threads.length) {
            Thread before = threads[i];
            threads[i] = new Thread(() -> briefly(300, new Object[1000]));
            threads[i].start();
            try {
                if (before != null) {
                    before.join();
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    public static void main(String[] words) throws Exception {
        for (int i = 0; i < 3; i++) {
            new Thread(ThreadStorm::storm).start();
        }
        System.out.println("ready");
        File end = new File(words[0]);
        while (!end.exists()) {
            Thread.sleep(20);
        }
        over = true;
        System.out.println("done " + (seen != null));
    }
}

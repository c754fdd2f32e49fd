/**
 * Looks at its stack while its methods get hooks and lose them: {@code LinesChange MILLIS}. Of each some instructions
 * stand in front of the call.
 */
public class LinesChange {
    static volatile boolean done;
    static int sink;

    static void first(int n) {
        sink += n;
        second(n + 1);
        sink++;
    }

    static void second(int n) {
        sink += n;
        sink += 3;
        Native.check("look");
        sink++;
    }

    public static void main(String[] arguments) throws Exception {
        long begun = System.nanoTime();
        long until = begun + Integer.parseInt(arguments[0]) * 1000000L;
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread("looks " + i) {
                @Override
                public void run() {
                    Native.check("each");
                    while (!done) {
                        first(1);
                    }
                }
            };
            threads[i].start();
        }
        int changes = 0;
        while (System.nanoTime() < until || changes < 20 || !Enough.isSeen(begun)) {
            Native.check("methods");
            Thread.sleep(2);
            Native.check("no methods");
            Thread.sleep(2);
            changes++;
        }
        done = true;
        for (Thread thread : threads) {
            thread.join();
        }
        Native.check("lines");
    }
}

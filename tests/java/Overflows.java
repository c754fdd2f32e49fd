/** Overflows the stacks of two threads that are older than an agent which comes when the program waits, with an argument at once. */
public class Overflows {
    static int down(int depth) {
        return 1 + down(depth + 1);
    }

    static void overflow(String who) {
        try {
            down(1);
        } catch (StackOverflowError e) {
            System.out.println(who + " overflows");
        }
    }

    public static void main(String[] arguments) throws Exception {
        final Object gate = new Object();
        Thread older = new Thread("older") {
            public void run() {
                synchronized (gate) {
                    overflow("older");
                }
            }
        };
        synchronized (gate) {
            older.start();
            if (arguments.length == 0)
                Dumped.await();
        }
        older.join();
        overflow("main");
    }
}

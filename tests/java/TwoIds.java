/** The program of agents/two_ids.c: the argument is the number of dumps. */
public class TwoIds {
    static class Marker {
    }

    static class Slow {
    }

    static volatile Object sink;

    public static void main(String[] arguments) throws Exception {
        int dumps = Integer.parseInt(arguments[0]);
        long[] made = new long[2];
        boolean[] over = new boolean[1];
        Thread[] makers = new Thread[made.length];
        Thread slow = new Thread(() -> sink = new Slow());
        slow.start();
        for (int i = 0; i < makers.length; i++) {
            int number = i;
            makers[i] = new Thread(() -> {
                Native.check("own");
                while (!isOver(over)) {
                    Native.check("make");
                    made[number] += 1000;
                }
            });
            makers[i].start();
        }
        for (int i = 0; i < dumps; i++) {
            Native.check("dump");
        }
        synchronized (over) {
            over[0] = true;
        }
        for (Thread maker : makers) {
            maker.join();
        }
        Native.check("release");
        slow.join();
        Native.check(Long.toString(made[0] + made[1]));
        System.out.println("done");
    }

    static boolean isOver(boolean[] over) {
        synchronized (over) {
            return over[0];
        }
    }
}

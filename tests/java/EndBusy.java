import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Ends while other threads make garbage and stop the program: arguments threads, ms, and {@code deadlocks} to stop it by another way. */
public class EndBusy {
    static volatile Object sink;

    static void start(Runnable body) {
        Thread thread = new Thread(body);
        thread.setDaemon(true);
        thread.start();
    }

    static void makeGarbage() {
        for (;;) {
            Object[] kept = new Object[500];
            for (int i = 0; i < 200000; i++) kept[i % kept.length] = new byte[16 + i % 100];
            sink = kept;
        }
    }

    static void stopAll(Runnable stop) {
        for (;;) {
            stop.run();
            try {
                Thread.sleep(0, 100000);
            } catch (InterruptedException e) {
            }
        }
    }

    static Runnable stopper(String[] arguments) {
        if (arguments.length < 3) {
            return Thread::getAllStackTraces;
        }
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        return threads::findDeadlockedThreads;
    }

    public static void main(String[] arguments) throws Exception {
        for (int i = Integer.parseInt(arguments[0]); i > 0; i--) start(EndBusy::makeGarbage);
        Runnable stop = stopper(arguments);
        start(() -> stopAll(stop));
        Thread.sleep(Integer.parseInt(arguments[1]));
        System.out.println("ends");
    }
}

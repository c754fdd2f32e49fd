/** Ends while other threads make garbage and stop the program: arguments threads and ms. */
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

    static void stopAll() {
        for (;;) {
            Thread.getAllStackTraces();
            try {
                Thread.sleep(0, 100000);
            } catch (InterruptedException e) {
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        for (int i = Integer.parseInt(arguments[0]); i > 0; i--) start(EndBusy::makeGarbage);
        start(EndBusy::stopAll);
        Thread.sleep(Integer.parseInt(arguments[1]));
        System.out.println("ends");
    }
}

/** Ends when it is told to, and its shutdown hook never does. */
public class EndsSlowly {
    public static void main(String[] words) throws Exception {
        Runtime.getRuntime().addShutdownHook(new Thread("hook") {
            public void run() {
                System.out.println("ending");
                System.out.flush();
                await();
            }
        });
        System.out.println("ready");
        System.out.flush();
        await();
    }

    static void await() {
        while (true) {
            try {
                Thread.sleep(1000);
            } catch (InterruptedException e) {
                return;
            }
        }
    }
}

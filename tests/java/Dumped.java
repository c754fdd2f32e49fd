/** Waits to be told to end: for kill -QUIT. With an argument not on the main thread, which ends. */
public class Dumped {
    public static void main(String[] arguments) throws Exception {
        if (arguments.length == 0) {
            await();
        } else {
            new Thread("waiter") {
                public void run() {
                    await();
                }
            }.start();
        }
    }

    static void await() {
        java.io.File end = new java.io.File("end");
        System.out.println("ready");
        System.out.flush();
        while (!end.exists()) {
            try {
                Thread.sleep(5);
            } catch (InterruptedException e) {
                return;
            }
        }
        System.out.println("done");
    }
}

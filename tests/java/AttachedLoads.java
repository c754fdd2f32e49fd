/** A native thread is attached to a group whose array of threads is full: on JDK 17 that loads a class, on the new thread. */
public class AttachedLoads extends Thread {
    public static void main(String[] arguments) {
        for (int made = 0; made < 3; made++) {
            // No lambda: that would load the class before.
            Thread thread = new AttachedLoads();
            thread.setDaemon(true);
            thread.start();
        }
        Native.check("");
        System.out.println("done");
    }

    @Override
    public void run() {
        try {
            Thread.sleep(100_000);
        } catch (InterruptedException interrupted) {
            interrupt();
        }
    }
}

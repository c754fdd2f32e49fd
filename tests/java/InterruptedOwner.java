/** Owns a monitor that another thread waits for, and is told by Object.wait that it has been interrupted: it has not left then. */
public class InterruptedOwner {
    static final Object LOCK = new Object();

    public static void main(String[] arguments) throws Exception {
        Thread[] enters = new Thread[1];
        Thread owner = new Thread(() -> {
            synchronized (LOCK) {
                enters[0].start();
                while (enters[0].getState() != Thread.State.BLOCKED) {
                    Thread.yield();
                }
                Thread.currentThread().interrupt();
                try {
                    LOCK.wait();
                } catch (InterruptedException e) {
                    System.out.println("interrupted");
                }
            }
        }, "owner");
        enters[0] = new Thread(() -> {
            synchronized (LOCK) {
                System.out.println("entered");
            }
        }, "enters");
        owner.start();
        owner.join();
        enters[0].join();
    }
}

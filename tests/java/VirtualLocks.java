import java.lang.reflect.Method;

/** Virtual threads that fight over a lock, wait on it and sleep; one that is none waits, too. */
public class VirtualLocks {
    static final int N = 20;
    static final Object LOCK = new Object();
    static int ended;

    static void fight() {
        try {
            for (int i = 0; i < 20; i++) {
                synchronized (LOCK) {
                    Thread.yield();
                    LOCK.wait(1);
                }
                Thread.sleep(1);
            }
        } catch (InterruptedException e) {
            return;
        }
        synchronized (LOCK) {
            ended++;
            LOCK.notifyAll();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        for (int i = 0; i < N; i++) start.invoke(null, (Runnable) VirtualLocks::fight);
        synchronized (LOCK) {
            while (ended < N) LOCK.wait(1000);
        }
        System.out.println("done");
    }
}

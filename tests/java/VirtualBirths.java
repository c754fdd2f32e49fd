import java.lang.reflect.Method;
import java.util.concurrent.Semaphore;

/** Two threads that do nothing but start virtual threads, for so many seconds, on a JDK that has them. */
public class VirtualBirths {
    static final Semaphore ROOM = new Semaphore(1000);

    static void starts(long end) {
        try {
            Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
            while (System.nanoTime() < end) {
                ROOM.acquire();
                start.invoke(null, (Runnable) ROOM::release);
            }
        } catch (ReflectiveOperationException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] arguments) throws Exception {
        long end = System.nanoTime() + Long.parseLong(arguments[0]) * 1_000_000_000L;
        Thread other = new Thread(() -> starts(end));
        other.start();
        starts(end);
        other.join();
        ROOM.acquire(1000);
        System.out.println("done");
    }
}

/**
 * A thread owns a new lock several times over when another comes to wait for it, and leaves
 * the inner entries first: {@code HOW TIMES}.
 */
public class NestedLocks {
    static volatile Object published, last;
    static volatile boolean finished;
    static Thread other;

    /* Held until the other waits, and a moment longer (see HandOvers). */
    static void hold() {
        final long moment = 300_000;
        while (other.getState() != Thread.State.BLOCKED) Thread.yield();
        long since = System.nanoTime();
        while (System.nanoTime() - since < moment) Thread.yield();
    }

    static void thin(Object lock) {
        synchronized (lock) {
            synchronized (lock) {
                synchronized (lock) {
                    published = lock;
                    hold();
                    Native.check("inside");
                }
                Native.check("left one");
            }
            Native.check("left one");
        }
        Native.check("left all");
    }

    /* The lock gets its monitor in the midst, before anybody else comes. */
    static void waited(Object lock) throws Exception {
        synchronized (lock) {
            synchronized (lock) {
                lock.wait(1);
                published = lock;
                hold();
                Native.check("inside");
            }
            Native.check("left one");
        }
        Native.check("left all");
    }

    /* What is entered after the other has come counts, too. */
    static void between(Object lock) {
        synchronized (lock) {
            synchronized (lock) {
                published = lock;
                hold();
                Native.check("inside");
                synchronized (lock) {
                    Native.check("left one");
                }
                Native.check("left one");
            }
            Native.check("left one");
        }
        Native.check("left all");
    }

    public static void main(String[] arguments) throws Exception {
        String how = arguments[0];
        int count = Integer.parseInt(arguments[1]);
        other = new Thread(() -> {
            while (!finished) {
                Object lock = published;
                if (lock == last) {
                    Thread.yield();
                } else {
                    synchronized (lock) { }
                    last = lock;
                }
            }
        }, "other");
        other.start();
        // The last one may still be on its way.
        for (int i = 0; i <= count; i++) {
            Object lock = new Object();
            if (how.equals("thin")) thin(lock);
            else if (how.equals("waited")) waited(lock);
            else between(lock);
            while (last != lock) Thread.yield();
        }
        finished = true;
        other.join();
        Native.check("counts");
        System.out.println("done");
    }
}

/**
 * A thread owns a new lock several times over when another comes to wait for it, and leaves
 * the inner entries first: {@code HOW TIMES}.
 */
public class NestedLocks {
    static volatile Object published, last;
    static volatile boolean finished;
    static Thread other;

    static void hold() {
        while (!HandOvers.waits(other)) Thread.yield();
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
        Native.check("nothing");
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
        other.setDaemon(true);
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

import java.util.ArrayList;
import java.util.List;

/**
 * For the agent `virtual_born`: virtual threads whose births and objects are watched, half of them started by
 * another virtual one; one of them gives its carrier up while it owns a monitor that another thread wants.
 */
public class VirtualBorn {
    static final int MANY = 20;

    static final class Marked { }

    static final Object LOCK = new Object();
    /** Set by the agent. */
    static volatile boolean contended;
    static volatile boolean owned;
    static volatile Object sink;

    static int twice(int number) {
        return 2 * number;
    }

    /** What this thread allocates until it may be on another carrier. */
    static void allocates(String name) {
        Native.check("on " + name);
        for (int i = 0; i < 5; i++) {
            sink = new Marked();
        }
        Native.check("off");
    }

    static void lives(String name) {
        allocates(name);
        Thread.yield();
        allocates(name);
    }

    static void owns() {
        synchronized (LOCK) {
            owned = true;
            while (!contended) {
                Thread.yield();
                Native.check("contended");
            }
            Thread.yield();
        }
    }

    static void startsMany(String prefix) {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            String name = prefix + i;
            threads.add(VirtualThreads.start(name, () -> lives(name)));
        }
        for (Thread thread : threads) {
            join(thread);
        }
    }

    static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    public static void main(String[] arguments) {
        Native.check("begin");
        allocates("main");
        startsMany("born ");
        join(VirtualThreads.start("parent", () -> startsMany("grandchild ")));
        Thread owner = VirtualThreads.start("owner", VirtualBorn::owns);
        while (!owned) {
            Thread.yield();
        }
        synchronized (LOCK) {
            join(owner);
        }
        System.out.println("done");
    }
}

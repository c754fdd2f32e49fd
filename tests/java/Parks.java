import java.util.concurrent.locks.LockSupport;

/** Parks while the agent switches that on and off, lists who is parked, and parks in its handler. */
public class Parks {
    static final class Blocker { }

    static final class Trap { }

    static final class Forever { }

    /** Called by the agent when a park for a Trap has ended, or has begun: somebody wakes the thread, in vain. */
    static void inHandler() {
        LockSupport.unpark(Thread.currentThread());
        LockSupport.park(new Trap());
    }

    /** Whoever was woken while the agent was at it does not wait. */
    static void woken() {
        Native.check("arm");
        LockSupport.unpark(Thread.currentThread());
        LockSupport.park(new Trap());
        long start = System.nanoTime();
        LockSupport.parkNanos(20_000_000_000L);
        Native.check("armed");
        if (System.nanoTime() - start > 10_000_000_000L) {
            System.out.println("nobody has woken " + Thread.currentThread());
        }
    }

    /** The same while it is already about to be parked. */
    static void wokenBetween() {
        Native.check("between");
        LockSupport.unpark(Thread.currentThread());
        long start = System.nanoTime();
        LockSupport.parkNanos(new Blocker(), 20_000_000_000L);
        Native.check("was between");
        if (System.nanoTime() - start > 10_000_000_000L) {
            System.out.println("nobody has woken " + Thread.currentThread() + " in between");
        }
    }

    /** Until the program ends. */
    static void forever() {
        Object blocker = new Forever();
        while (true) {
            LockSupport.park(blocker);
        }
    }

    static Thread start(boolean virtual, Runnable body) throws Exception {
        if (virtual) {
            // By reflection: the compiler may be of a JDK before 21.
            return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
        }
        Thread thread = new Thread(body);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    static void park(int times) {
        Blocker blocker = new Blocker();
        for (int i = 0; i < times; i++) {
            LockSupport.unpark(Thread.currentThread());
            LockSupport.park(blocker);
        }
    }

    public static void main(String[] arguments) throws Exception {
        park(1);
        Native.check("on");
        park(2);
        Native.check("off");
        park(4);
        Native.check("on");
        park(8);
        Native.check("report");
        boolean virtual = arguments.length > 0;
        Thread forever = start(virtual, Parks::forever);
        while (forever.getState() != Thread.State.WAITING) {
            Thread.sleep(1);
        }
        Native.check("list");
        start(virtual, Parks::woken).join();
        Native.check("methods");
        start(virtual, Parks::wokenBetween).join();
        System.out.println("done");
    }
}

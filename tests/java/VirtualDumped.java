import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Virtual threads that own monitors, wait for and on them, are parked or run, for a MONITOR_DUMP; with
 * an argument for a kill -QUIT.
 */
public class VirtualDumped {
    static class Entered { }
    static class Kept { }
    static class WaitedOn { }

    static final Object ENTERED = new Entered(), KEPT = new Kept(), WAITED_ON = new WaitedOn();
    static final Map<Thread, Thread.State> ENDS = new LinkedHashMap<>();
    static volatile boolean stop;
    static volatile long spun;

    static void owns() {
        synchronized (ENTERED) {
            synchronized (ENTERED) {
                parks();
            }
        }
    }

    static void enters() {
        synchronized (ENTERED) {
            spun++;
        }
    }

    static void waits() {
        synchronized (KEPT) {
            synchronized (WAITED_ON) {
                while (!stop) {
                    try {
                        WAITED_ON.wait();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                }
            }
        }
    }

    static void parks() {
        while (!stop) {
            LockSupport.park();
        }
    }

    static void spins() {
        while (!stop) {
            spun++;
        }
    }

    /** Returns when it is where it stays. */
    static void start(String name, Thread.State end, Runnable body) throws Exception {
        Thread thread = VirtualThreads.start(name, body);
        while (thread.getState() != end) {
            Thread.yield();
        }
        ENDS.put(thread, end);
    }

    public static void main(String[] arguments) throws Exception {
        start("owner", Thread.State.WAITING, VirtualDumped::owns);
        start("enters-1", Thread.State.BLOCKED, VirtualDumped::enters);
        start("enters-2", Thread.State.BLOCKED, VirtualDumped::enters);
        start("in-wait", Thread.State.WAITING, VirtualDumped::waits);
        start("parked", Thread.State.WAITING, VirtualDumped::parks);
        start("spins", Thread.State.RUNNABLE, VirtualDumped::spins);
        if (arguments.length == 0) {
            Native.check("dump");
        } else {
            Dumped.await();
        }
        stop = true;
        synchronized (WAITED_ON) {
            WAITED_ON.notifyAll();
        }
        for (Thread thread : ENDS.keySet()) {
            LockSupport.unpark(thread);
        }
        for (Thread thread : ENDS.keySet()) {
            thread.join();
        }
        System.out.println("done");
    }
}

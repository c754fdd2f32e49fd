import java.io.InputStream;
import java.util.concurrent.locks.LockSupport;

/** What natives call between setting errno and looking at it: the library is agents/errno.c. */
public class Errno {
    static final int TRIES = 20;
    static final Object LOCK = new Object();
    static final RuntimeException THROWN = new RuntimeException();
    static volatile int sink;
    static volatile boolean held;

    static class Defined { }

    /** Asks its parent for everything; a class of its own is defined by the native. */
    static class Loader extends ClassLoader { }

    static native void look(Object lock, Object[] loaders, byte[] classFile);

    static native void lookOnVirtual();

    static native void lookBack();

    static native int get();

    static native void set();

    static native void bound();

    /** How often an agent was told that a thread waits to enter a monitor; -1 without one. */
    static native int waiting();

    static void returns() { sink++; }

    static void throwsOut() { throw THROWN; }

    static void branches() {
        int n = sink;
        Object lock = LOCK;
        if (n > 0 && n < 1000 && lock != null && lock != THROWN) {
            switch (n) {
                case 1: sink = 2; break;
                default: sink = 1;
            }
        }
    }

    static void await(Thread thread) {
        while (thread.getState() != Thread.State.BLOCKED) {
            Thread.yield();
        }
    }

    /** Another thread holds the lock until the caller waits for it. */
    static void hold() {
        final Thread caller = Thread.currentThread();
        held = false;
        new Thread() {
            public void run() {
                synchronized (LOCK) {
                    held = true;
                    await(caller);
                }
            }
        }.start();
        while (!held) {
            Thread.yield();
        }
    }

    /** The VM says BLOCKED a moment earlier than the event; an owner that leaves then says nothing. */
    static void contend(final Object lock) {
        int before = waiting();
        Thread thread = new Thread() {
            public void run() {
                synchronized (lock) {
                    sink++;
                }
            }
        };
        thread.start();
        await(thread);
        while (before >= 0 && waiting() == before) {
            Thread.yield();
        }
    }

    /** Another thread waits for the lock, which the caller holds. */
    static void contend() { contend(LOCK); }

    static void leaves() {
        synchronized (LOCK) {
            contend(LOCK);
            set();
        }
    }

    static synchronized void leavesMethod() {
        contend(Errno.class);
        set();
    }

    static void waits() throws InterruptedException {
        synchronized (LOCK) {
            LOCK.wait(1);
        }
    }

    static void sleeps() throws InterruptedException { Thread.sleep(1); }

    static void parks() { LockSupport.parkNanos(1000000); }

    /** Nothing on a JDK that has no virtual threads. */
    static void lookOnVirtualThread() throws Exception {
        java.lang.reflect.Method start;
        try {
            start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException e) {
            return;
        }
        ((Thread) start.invoke(null, new Runnable() {
            public void run() {
                lookOnVirtual();
            }
        })).join();
        lookBack();
    }

    public static void main(String[] arguments) throws Exception {
        System.load(System.getProperty("agent"));
        Loader[] loaders = new Loader[TRIES];
        for (int i = 0; i < TRIES; i++) {
            loaders[i] = new Loader();
        }
        byte[] classFile = new byte[10000];
        int length = 0;
        try (InputStream in = Errno.class.getResourceAsStream("Errno$Defined.class")) {
            for (int n; (n = in.read(classFile, length, classFile.length - length)) > 0; length += n) { }
        }
        // What runs for the first time makes the VM load and link: that is done here.
        for (int i = 0; i < 3; i++) {
            returns();
            branches();
            hold();
            synchronized (LOCK) { }
            leaves();
            leavesMethod();
            waits();
            sleeps();
            parks();
        }
        look(LOCK, loaders, java.util.Arrays.copyOf(classFile, length));
        lookOnVirtualThread();
        System.out.println("done");
    }
}

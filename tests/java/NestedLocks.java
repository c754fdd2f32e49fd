/**
 * A thread owns a lock several times over when another comes to wait for it, and leaves the
 * inner entries first: {@code [virtual] HOW TIMES}; a virtual thread owns it.
 */
public class NestedLocks {
    static final int WAITERS = 2;
    static volatile Object published;
    static volatile int round;
    static volatile boolean finished, first;
    static final Waiter[] waiters = new Waiter[WAITERS];

    /** Enters the lock of each round. */
    static class Waiter extends Thread {
        volatile int done;

        Waiter(String name) {
            super(name);
            setDaemon(true);
        }

        @Override
        public void run() {
            while (!finished) {
                if (done == round) {
                    Thread.yield();
                } else {
                    enter(published);
                    done++;
                }
            }
        }
    }

    static void enter(Object lock) {
        boolean isFirst;
        synchronized (lock) {
            isFirst = first;
            first = false;
            lock.notifyAll();
            if (isFirst) {
                Native.check("inside");
                synchronized (lock) {
                    synchronized (lock) { }
                    Native.check("left one");
                }
                Native.check("left one");
            }
        }
        if (isFirst) Native.check("left all");
    }

    /* The others are to come for it. */
    static void publish(Object lock) {
        published = lock;
        round++;
        for (Waiter waiter : waiters)
            while (waiter != null && !HandOvers.waits(waiter)) Thread.yield();
    }

    static void thin(Object lock) {
        synchronized (lock) {
            synchronized (lock) {
                synchronized (lock) {
                    publish(lock);
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
                publish(lock);
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
                publish(lock);
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

    /* All entries are left at once. */
    static void waits(Object lock) throws Exception {
        synchronized (lock) {
            synchronized (lock) {
                publish(lock);
                Native.check("inside");
                lock.wait();
                Native.check("left all");
            }
        }
        Native.check("left all");
    }

    /* Two wait: the one that gets in first is an owner that has waited. */
    static void two(Object lock) {
        synchronized (lock) {
            publish(lock);
            first = true;
        }
    }

    /* It comes back before the other has got in, if it can, and has said that it leaves. */
    static void impatient(Object lock) {
        synchronized (lock) {
            publish(lock);
            Native.check("inside");
        }
        while (waiters[0].done != round)
            synchronized (lock) { }
        Native.check("left all");
    }

    static void go(String how, Object lock) throws Exception {
        switch (how) {
            case "thin": case "again": thin(lock); break;
            case "waited": waited(lock); break;
            case "between": between(lock); break;
            case "waits": waits(lock); break;
            case "two": two(lock); break;
            case "impatient": impatient(lock); break;
            default: throw new AssertionError(how);
        }
    }

    static void own(String how, int count) throws Exception {
        for (int i = 0; i < (how.equals("two") ? WAITERS : 1); i++) {
            waiters[i] = new Waiter("waiter-" + i);
            waiters[i].start();
        }
        Object lock = new Object();
        // The last one may still be on its way.
        for (int i = 0; i <= count; i++) {
            go(how, lock);
            for (Waiter waiter : waiters)
                while (waiter != null && waiter.done != round) Thread.yield();
            if (!how.equals("again")) lock = new Object();
        }
        finished = true;
        for (Waiter waiter : waiters)
            if (waiter != null) waiter.join();
    }

    /* What goes wrong in a virtual thread ends the program as it does in any other. */
    static void ownVirtually(String how, int count) throws Exception {
        Throwable[] failed = new Throwable[1];
        Runnable owner = () -> {
            try {
                own(how, count);
            } catch (Throwable e) {
                failed[0] = e;
            }
        };
        ((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, owner)).join();
        if (failed[0] != null) throw new AssertionError(failed[0]);
    }

    public static void main(String[] arguments) throws Exception {
        boolean isVirtual = arguments[0].equals("virtual");
        String how = arguments[isVirtual ? 1 : 0];
        int count = Integer.parseInt(arguments[isVirtual ? 2 : 1]);
        Native.check("nothing");
        if (isVirtual) {
            ownVirtually(how, count);
        } else {
            own(how, count);
        }
        Native.check("counts");
        System.out.println("done");
    }
}

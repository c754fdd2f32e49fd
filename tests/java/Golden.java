import java.util.concurrent.locks.LockSupport;

/**
 * Does once what agents are told of, in the same order each time: for golden files. Each object has a line of its own.
 * With an argument it ends while its threads hold and await monitors.
 */
public class Golden {
    interface Shape {
        double area(double scale, long wide);
    }

    abstract static class Figure implements Shape {
        int corners = 4;
        Object held;

        Figure(Object held) {
            this.held = held;
        }
    }

    static final class Square extends Figure {
        static Square last;
        static long made = 0x0102030405060708L;
        boolean flag = true;
        byte small = -2;
        char letter = 'x';
        double real = -2.5;
        Square next;

        Square(Square next, Object held) {
            super(held);
            this.next = next;
            last = this;
        }

        @Override
        public double area(double scale, long wide) {
            return scale * wide;
        }
    }

    static final class Thrown extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    static class Lock { }
    static class Dropped { long a, b; }

    static final Lock LOCK = new Lock();
    static Object[] kept;
    static volatile boolean handed;

    /* ---- methods ---- */

    static int down(int depth) {
        return depth == 0 ? 0 : 1 + down(depth - 1);
    }

    static void thrower(int depth) {
        if (depth == 0) {
            throw new Thrown();
        }
        thrower(depth - 1);
    }

    static synchronized long call(Shape shape) {
        return (long) shape.area(0.5, 1L << 40);
    }

    static void methods() {
        down(2);
        try {
            thrower(1);
        } catch (Thrown thrown) {
            call(Square.last);
        }
    }

    /* ---- objects ---- */

    static void build() {
        Square one = new Square(null, null);
        Square two = new Square(one,
            "held");
        kept = new Object[] {
            two,
            new Square[3],
            new Square[2][],
            new int[] { 1, -2 },
            new long[5],
            new Square[1],
        };
        ((Object[]) kept[1])[2] = one;
    }

    static void drop() {
        for (int i = 0; i < 3; i++) {
            new Dropped();
        }
    }

    /* ---- threads and monitors ---- */

    static class Worker extends Thread {
        Worker(ThreadGroup group) {
            super(group, "worker");
        }

        @Override
        public void run() {
            synchronized (LOCK) {
                handed = true;
                LOCK.notifyAll();
            }
        }
    }

    static void handOver() throws InterruptedException {
        Worker worker = new Worker(new ThreadGroup("workers"));
        synchronized (LOCK) {
            worker.start();
            while (worker.getState() != Thread.State.BLOCKED) {
                Thread.yield();
            }
            while (!handed) {
                LOCK.wait();
            }
            LOCK.wait(20);
        }
        while (worker.isAlive()) { Thread.yield(); } // join() would wait, on a slow machine.
        Thread.sleep(10);
    }

    /** Holds, awaits or waits on a lock, as its name says. */
    static class Stander extends Thread {
        final Lock lock;
        volatile boolean there;

        Stander(String name, Lock lock) {
            super(name);
            this.lock = lock;
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                there = true;
                stand();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        void stand() throws InterruptedException {
            synchronized (lock) {
                switch (getName()) {
                    case "owner":
                        again();
                        break;
                    case "waiter":
                        lock.wait();
                        break;
                    case "timed":
                        lock.wait(1000000);
                        break;
                    case "sleeper":
                        Thread.sleep(1000000);
                        break;
                    default:
                        System.out.println("not blocked");
                }
            }
        }

        void again() {
            synchronized (lock) {
                for (;;) {
                    LockSupport.park();
                }
            }
        }
    }

    static class Held extends Lock { }
    static class Awaited extends Lock { }
    static class Slept extends Lock { }

    static void stand() throws InterruptedException {
        Lock held = new Held();
        Lock awaited = new Awaited();
        Lock slept = new Slept();
        Stander[] standers = {
            new Stander("owner", held),
            new Stander("blocked", held),
            new Stander("waiter", awaited),
            new Stander("timed", awaited),
            new Stander("sleeper", slept),
        };
        Thread.State[] states = {
            Thread.State.WAITING, Thread.State.BLOCKED, Thread.State.WAITING, Thread.State.TIMED_WAITING,
            Thread.State.TIMED_WAITING,
        };
        for (int i = 0; i < standers.length; i++) {
            standers[i].start();
            while (!standers[i].there || standers[i].getState() != states[i]) {
                Thread.yield();
            }
        }
    }

    public static void main(String[] words) throws Exception {
        build();
        methods();
        drop();
        System.gc();
        handOver();
        if (words.length > 0) {
            stand();
        }
        System.out.println("done");
    }
}

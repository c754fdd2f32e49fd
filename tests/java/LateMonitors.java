import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads that wait for monitors, in monitors, and sleep, while the agent switches the events
 * of it: {@code TIMES}. Each has the name of what is done to it.
 */
public class LateMonitors {
    interface Body {
        void run() throws Exception;
    }

    /** Not joined: that would be a wait in its monitor, and contention for it. */
    static class Worker extends Thread {
        final Body body;

        Worker(String name, Body body) {
            super(name);
            this.body = body;
            setDaemon(true);
            start();
        }

        @Override
        public void run() {
            try {
                body.run();
            } catch (InterruptedException e) {
                // As it should.
            } catch (Exception e) {
                System.out.println(getName() + ": " + e);
            }
        }

        void reaches(State state) {
            while (getState() != state) Thread.yield();
            // The VM says so just before it tells of it: mostly it has, after this.
            for (int i = 0; i < 100; i++) Thread.yield();
        }

        /** Up to JDK 18 a thread that ends takes its group's lock, and may wait for it. */
        void end() {
            while (getState() != State.TERMINATED) Thread.yield();
        }
    }

    static void check(String what) {
        if (!what.isEmpty()) Native.check(what);
    }

    static void begin(String name, String before) {
        check("off ENTER ENTERED EXIT WAIT WAITED");
        check("mark " + name);
        check(before);
    }

    /* Nobody knows for sure that a thread waits of whom no event tells. */
    static void unheard(String name, String before, String meanwhile) {
        Object lock = new Object();
        begin(name, before);
        Worker worker;
        synchronized (lock) {
            worker = new Worker(name, () -> {
                synchronized (lock) { }
            });
            worker.reaches(Thread.State.BLOCKED);
            check(meanwhile);
        }
        worker.end();
    }

    static void heard(String name, String before, String meanwhile) {
        Object lock = new Object();
        begin(name, before);
        Worker worker;
        synchronized (lock) {
            worker = new Worker(name, () -> {
                synchronized (lock) { }
            });
            check("until " + name);
            check(meanwhile);
        }
        worker.end();
    }

    /* The end of the first contention is unheard, and so is the beginning of the second. */
    static void heardInParts(String name) {
        Object one = new Object(), other = new Object();
        begin(name, "on ENTER ENTERED");
        Worker worker;
        synchronized (other) {
            boolean[] inside = { false };
            synchronized (one) {
                worker = new Worker(name, () -> {
                    synchronized (one) {
                        inside[0] = true;
                    }
                    synchronized (other) { }
                });
                check("until " + name);
                check("off ENTER ENTERED");
            }
            for (boolean is = false; !is; Thread.yield())
                synchronized (one) {
                    is = inside[0];
                }
            worker.reaches(Thread.State.BLOCKED);
            check("mark " + name + "-again");
            check("on ENTER ENTERED");
        }
        worker.end();
    }

    static volatile boolean go, entered, away;

    /*
     * EXIT is switched off and on while one waits, and another comes afterwards: whoever leaves
     * before that one has got in says so. Who gets in when is for the VM to say.
     */
    static void exits(String name) {
        Object lock = new Object();
        List<String> order = new ArrayList<>();
        AtomicInteger left = new AtomicInteger();
        Body body = () -> {
            synchronized (lock) {
                order.add(Thread.currentThread().getName());
                entered = true;
                while (!go) Thread.yield();
            }
            left.incrementAndGet();
            while (!away) Thread.yield();
        };
        Worker[] workers = new Worker[3];
        go = entered = away = false;
        begin(name, "on ENTER ENTERED EXIT");
        synchronized (lock) {
            for (int i = 0; i < 2; i++) {
                workers[i] = new Worker(name + "-" + i, body);
                check("until " + name + "-" + i);
            }
        }
        // One of them has it now, or gets it.
        check("off EXIT");
        check("on EXIT");
        // Or the last one gets in before them, and nobody tells of it.
        while (!entered) Thread.yield();
        workers[2] = new Worker(name + "-last", body);
        check("until " + name + "-last");
        go = true;
        while (left.get() < workers.length) Thread.yield();
        check("off ENTER ENTERED EXIT");
        away = true;
        for (Worker worker : workers) worker.end();
        System.out.println("order " + String.join(" ", order));
    }

    static void waits(String name, String before, String meanwhile) {
        Object lock = new Object();
        boolean[] waits = { false };
        begin(name, before);
        Worker worker = new Worker(name, () -> {
            synchronized (lock) {
                waits[0] = true;
                while (waits[0]) lock.wait();
            }
        });
        // Who has left the lock to wait has told of it.
        for (boolean done = false; !done; Thread.yield())
            synchronized (lock) {
                done = waits[0];
                if (done) {
                    check(meanwhile);
                    waits[0] = false;
                    lock.notifyAll();
                }
            }
        worker.end();
    }

    static void sleeps(String name, String before, String meanwhile) {
        begin(name, before);
        Worker worker = new Worker(name, () -> Thread.sleep(1000000));
        worker.reaches(Thread.State.TIMED_WAITING);
        check(meanwhile);
        worker.interrupt();
        worker.end();
    }

    public static void main(String[] arguments) {
        int times = Integer.parseInt(arguments[0]);
        for (int i = 0; i < times; i++) {
            unheard("all-" + i, "", "on ENTER ENTERED EXIT");
            unheard("after-exit-" + i, "on EXIT", "on ENTER ENTERED");
            unheard("after-entered-" + i, "on ENTERED", "on ENTER");
            unheard("entered-only-" + i, "on ENTERED", "");
            heard("enter-off-" + i, "on ENTER ENTERED", "off ENTER");
            heard("both-off-" + i, "on ENTER ENTERED", "off ENTER ENTERED");
            heardInParts("in-parts-" + i);
            exits("exits-" + i);
            waits("wait-all-" + i, "", "on WAIT WAITED");
            waits("wait-after-exit-" + i, "on EXIT", "on WAIT WAITED");
            waits("wait-after-waited-" + i, "on WAITED", "on WAIT");
            waits("waited-late-" + i, "on WAIT", "on WAITED");
            waits("waited-only-" + i, "on WAITED", "");
            waits("wait-off-" + i, "on WAIT WAITED", "off WAIT");
            sleeps("sleep-all-" + i, "", "on WAIT WAITED");
            sleeps("sleep-after-waited-" + i, "on WAITED", "on WAIT");
            sleeps("slept-only-" + i, "on WAITED", "");
            sleeps("sleep-off-" + i, "on WAIT WAITED", "off WAIT");
        }
        System.out.println("done");
    }
}

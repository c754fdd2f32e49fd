import java.io.File;
import java.util.concurrent.CountDownLatch;

/**
 * Objects with a number that one thread each holds, in its own way, and virtual threads where there are any;
 * the native methods are in agents/roots.c.
 */
public class Roots {
    static final class Held {
        final int number;

        Held(int number) {
            this.number = number;
        }

        synchronized void rest() {
            Roots.rest();
        }
    }

    static final CountDownLatch ready = new CountDownLatch(8), over = new CountDownLatch(1);
    static final Held left = new Held(8), contended = new Held(9);

    /** Native code holds the object, and calls {@link #rest}. */
    static native void below(int number);

    /** Native code holds the object, and waits. */
    static native void top(int number);

    /** A thread that has no Java code on its stack holds the object. */
    static native void attached(int number);

    /** Native code has entered the object's monitor, and calls {@link #rest}. */
    static native void entered(int number);

    static Held make(int number) {
        return new Held(number);
    }

    static void rest() {
        ready.countDown();
        await(over);
    }

    static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static synchronized void ofClass() {
        rest();
    }

    /** A frame holds the object of a thread that no carrier runs. */
    static void parks() {
        Held held = new Held(11);
        rest();
        sum += held.number;
    }

    /** A frame holds the object of a thread that runs. */
    static void spins() {
        Held held = new Held(12);
        while (over.getCount() > 0) {
            sum++;
        }
        sum += held.number;
    }

    static volatile long sum;

    /** Returns when they are where they stay. */
    static void startVirtualOnes() throws Exception {
        Thread pinned = VirtualThreads.start("pinned", () -> below(10));
        Thread parked = VirtualThreads.start("parked", Roots::parks);
        VirtualThreads.start("spinning", Roots::spins);
        while (pinned.getState() != Thread.State.WAITING || parked.getState() != Thread.State.WAITING || sum == 0) {
            Thread.sleep(1);
        }
    }

    static Thread start(String name, Runnable what) {
        Thread thread = new Thread(what, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    static void waitsIn(Held held, long millis) {
        synchronized (held) {
            try {
                held.wait(millis);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    public static void main(String[] words) throws Exception {
        Class.forName("Native");
        waitsIn(left, 1);
        start("below", () -> below(1));
        start("top", () -> top(2));
        attached(3);
        start("block", () -> {
            Held held = new Held(4);
            synchronized (held) {
                synchronized (held) {
                    rest();
                }
            }
        });
        start("method", () -> new Held(5).rest());
        start("entered", () -> entered(6));
        Thread waiting = start("waiting", () -> waitsIn(new Held(7), 1_000_000));
        start("owner", () -> {
            synchronized (contended) {
                rest();
            }
        });
        start("class", Roots::ofClass);
        await(ready);
        Thread blocked = start("blocked", () -> {
            synchronized (contended) {
                System.out.println("not before the end");
            }
        });
        while (waiting.getState() != Thread.State.TIMED_WAITING || blocked.getState() != Thread.State.BLOCKED) {
            Thread.sleep(1);
        }
        if (words.length > 1) {
            startVirtualOnes();
        }
        System.out.println("ready");
        File end = new File(words[0]);
        while (!end.exists()) {
            Thread.sleep(20);
        }
        System.out.println("done " + left.number);
        System.exit(0);
    }
}

import java.io.InputStream;
import java.util.Arrays;

/**
 * Two threads hand one lock over and over, {@code HOW TIMES}: each holds it until the other
 * waits, so that nobody slips away unseen.
 */
public class HandOvers {
    /** Takes the lock, holds it, and leaves it in its way. */
    public interface Way {
        void take(int me) throws Exception;
    }

    public static class Thrown extends RuntimeException {
        public Thrown() {
            super(null, null, false, false);
        }
    }

    static final Object TABLE = new Object();
    static final HandOvers INSTANCE = new HandOvers();
    static final Thread[] PLAYERS = new Thread[2];
    /* What is to come out of a way, by player. */
    static final Thrown[] EXPECTED = new Thrown[2];
    static volatile boolean ready, finished;
    static volatile int inside = -1;

    static void block(int me) {
        synchronized (TABLE) {
            hold(me);
        }
    }

    static synchronized void method(int me) {
        hold(me);
    }

    static void recursive(int me) {
        synchronized (TABLE) {
            ofNone();
            synchronized (TABLE) {
                hold(me);
            }
            ofNone();
        }
    }

    static void ofNone() {
        synchronized (TABLE) { }
    }

    static void waiting(int me) throws Exception {
        synchronized (TABLE) {
            hold(me);
            TABLE.wait(1);
        }
    }

    static void thrownBlock(int me) {
        String text = "locals of each kind";
        long number = me;
        synchronized (TABLE) {
            hold(me);
            if (text.length() + number > 0) throw expected(me);
        }
    }

    /* The inner block's exception is caught before it reaches the outer one. */
    static void thrownNested(int me) {
        synchronized (TABLE) {
            try {
                synchronized (INSTANCE) {
                    throw new Thrown();
                }
            } catch (Thrown e) {
                hold(me);
            }
            throw expected(me);
        }
    }

    static synchronized void thrownMethod(int me) {
        hold(me);
        throw expected(me);
    }

    synchronized Object thrownInstance(int me, long[] unused, double number) {
        hold(me);
        if (number < 1) throw expected(me);
        return unused;
    }

    static synchronized native void nativeMethod(int me);

    /* Throws, too. */
    synchronized native void nativeInstance(int me);

    /* Enters and leaves it by JNI. */
    static native void byJni(Object lock, int me);

    /* The same while an exception is pending. */
    static native void byJniThrown(Object lock, int me);

    /** Loaded as a class file that cannot name its class in a constant. */
    public static class Old implements Way {
        static synchronized void returned(int me) {
            hold(me);
        }

        static synchronized void thrown(int me) {
            hold(me);
            throw expected(me);
        }

        boolean throwing;

        public void take(int me) {
            if (throwing) thrown(me);
            else returned(me);
            throwing = !throwing;
        }
    }

    static Way old() throws Exception {
        byte[] bytes = new byte[100000];
        int length = 0;
        try (InputStream in = HandOvers.class.getResourceAsStream("HandOvers$Old.class")) {
            for (int n; (n = in.read(bytes, length, bytes.length - length)) > 0; ) length += n;
        }
        final byte[] file = Arrays.copyOf(bytes, length);
        file[7] = 48;
        Class<?> made = new ClassLoader() {
            Class<?> define() {
                return defineClass("HandOvers$Old", file, 0, file.length);
            }

            @Override
            protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                return name.equals("HandOvers$Old") ? define() : super.loadClass(name, resolve);
            }
        }.loadClass("HandOvers$Old");
        java.lang.reflect.Constructor<?> constructor = made.getDeclaredConstructor();
        constructor.setAccessible(true);
        return (Way) constructor.newInstance();
    }

    static Way way(String how) throws Exception {
        switch (how) {
            case "block": return HandOvers::block;
            case "method": return HandOvers::method;
            case "recursive": return HandOvers::recursive;
            case "wait": return HandOvers::waiting;
            case "thrown-block": return HandOvers::thrownBlock;
            case "thrown-nested": return HandOvers::thrownNested;
            case "thrown-method": return HandOvers::thrownMethod;
            case "thrown-instance": return me -> INSTANCE.thrownInstance(me, null, 0);
            case "native": return HandOvers::nativeMethod;
            case "native-instance": return INSTANCE::nativeInstance;
            case "jni": return me -> byJni(TABLE, me);
            case "jni-thrown": return me -> byJniThrown(TABLE, me);
            case "old": return old();
            default: throw new AssertionError(how);
        }
    }

    /* Whether the agent has been told that this thread waits for a lock. */
    static native boolean contends(String thread);

    /* Until the other waits. */
    public static void hold(int me) {
        inside = me;
        while (!finished && !waits(PLAYERS[1 - me])) Thread.yield();
    }

    static boolean waits(Thread thread) {
        return thread.getState() == Thread.State.BLOCKED && contends(thread.getName());
    }

    public static Thrown expected(int me) {
        return EXPECTED[me] = new Thrown();
    }

    static void fail(int me) {
        throw expected(me);
    }

    /* Whether the way ended as it should: by that very exception, or by none. */
    static boolean goes(Way way, int me) {
        Throwable thrown = null;
        EXPECTED[me] = null;
        try {
            way.take(me);
        } catch (Throwable e) {
            thrown = e;
        }
        if (thrown == EXPECTED[me]) return true;
        System.out.println("thrown: " + thrown + ", not " + EXPECTED[me]);
        return false;
    }

    /* Waits that an interrupt ends. */
    static void interrupted(Way way) {
        Thread.currentThread().interrupt();
        try {
            way.take(0);
            System.out.println("not interrupted");
        } catch (InterruptedException e) {
            // As it should.
        } catch (Throwable e) {
            System.out.println("thrown: " + e);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Way way = way(arguments[0]);
        int count = Integer.parseInt(arguments[1]);
        Native.check("nothing");
        interrupted(me -> Thread.sleep(100000));
        interrupted(me -> {
            synchronized (INSTANCE) {
                INSTANCE.wait();
            }
        });
        for (int i = 0; i < 2; i++) {
            int me = i;
            PLAYERS[i] = new Thread(() -> {
                // No latch: with two threads that use it for the first time JDK 11 contends
                // for locks of its own, which it leaves unseen.
                while (!ready) Thread.yield();
                for (int n = 0; n < count && goes(way, me); n++)
                    while (!finished && inside == me) Thread.yield();
                finished = true;
            }, "player-" + i);
            PLAYERS[i].start();
        }
        ready = true;
        for (Thread thread : PLAYERS) thread.join();
        Native.check("counts");
        System.out.println("done");
    }
}

/** What an agent is told of a value object, beside one that has identity. The agent's library is given with -Dagent. */
public class ValueFacts {
    value record Spot(short x, short y) {
    }

    static class Plain {
    }

    /** Holds both, in fields and in arrays. */
    static class Holder {
        final Object any;
        final Plain plain;
        final Spot spot;
        final int number;

        Holder(Object any, Plain plain, Spot spot) {
            this.any = any;
            this.plain = plain;
            this.spot = spot;
            this.number = 4711;
            super();
        }
    }

    static {
        System.load(System.getProperty("agent"));
    }

    static native void references(Object value, Object plain);

    static native void dumps(Object holder, Object plain, Object[] mixed, Object[] spots);

    /** From the first call to the second the agent counts events of monitors. */
    static native void monitors(String begins);

    static Object held;

    static void lock(Object object) {
        try {
            synchronized (object) {
                held = object;
            }
        } catch (IdentityException error) {
            held = error;
        }
    }

    static void await(Object object) throws InterruptedException {
        try {
            synchronized (object) {
                object.wait(1);
            }
        } catch (IdentityException error) {
            held = error;
        }
        try {
            object.wait(1);
            object.notifyAll();
        } catch (IllegalMonitorStateException error) {
            held = error;
        }
    }

    /** Two threads that are in one another's way. */
    static void contend(Object object) throws Exception {
        Runnable locks = () -> {
            for (int round = 0; round < 2000; round++) {
                lock(object);
            }
        };
        Thread[] threads = {new Thread(locks), new Thread(locks)};
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        await(object);
    }

    public static void main(String[] arguments) throws Exception {
        Spot spot = new Spot((short) 3, (short) 4);
        Plain plain = new Plain();
        references(spot, plain);
        references(5, plain);
        dumps(new Holder(spot, plain, spot), plain, new Object[] {spot, plain, 5}, new Spot[] {spot, null});
        monitors("of a value");
        contend(spot);
        monitors("of a plain one");
        await(plain);
        monitors("");
        System.out.println("said " + spot.x() + " " + (held != null));
    }
}

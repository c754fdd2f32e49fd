/** Methods on whose stacks the agent looks while hooks are on top of them and between them. */
public class HookFrames {
    static final Object LOCK = new Object();

    static class Thing { }

    static void leaf() { }

    static void middle() {
        leaf();
    }

    static void top() {
        middle();
    }

    /* The agent calls `inner` when it is entered. */
    static void outer() { }

    static void caller() {
        outer();
    }

    static void inner() {
        Native.check("look check inner outer caller main");
        Native.check("allocates inner outer caller main");
        new Thing();
        Native.check("allocated");
    }

    /* The agent does not return from its event before it has been looked at. */
    static void blocked() { }

    /* Nor from the one of the leaving. */
    static void leaves() {
        synchronized (LOCK) {
            contender = new Contender();
            contender.start();
            Native.check("until another waits");
        }
    }

    /* The agent calls `leaves` when it is entered. */
    static void nested() { }

    static Thread contender;

    static class Contender extends Thread {
        Contender() {
            super("contender");
        }

        @Override
        public void run() {
            synchronized (LOCK) { }
        }
    }

    static class Blocked extends Thread {
        @Override
        public void run() {
            blocked();
        }
    }

    static class Leaves extends Thread {
        @Override
        public void run() {
            leaves();
        }
    }

    static class Nested extends Thread {
        @Override
        public void run() {
            nested();
        }
    }

    static void watch(Thread thread, String frames) throws Exception {
        Native.check("next " + frames);
        thread.setName("watched");
        thread.start();
        Native.check("watch");
        thread.join();
        // Up to JDK 18 threads that end take their group's lock, and may wait for it.
        while (contender != null && contender.getState() != Thread.State.TERMINATED) Thread.yield();
    }

    public static void main(String[] arguments) throws Exception {
        Native.check("begin");
        top();
        caller();
        watch(new Blocked(), "blocked run");
        watch(new Leaves(), "leaves run");
        watch(new Nested(), "leaves nested run");
        Native.check("done");
        System.out.println("done");
    }
}

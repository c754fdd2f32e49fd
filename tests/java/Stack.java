/** Known frames: the agent knows these lines. */
public class Stack {
    static final Object LOCK = new Object();
    static void three() {
        Native.check("frames");
    }

    static class Two {
        static void two() {
            three();
        }
    }
    static void one() {
        Two.two();
    }

    static boolean held;
    static void hold() throws InterruptedException {
        while (held)
            LOCK.wait();
    }

    static class Late {
        static int value = 1;
    }

    static class Other extends Thread {
        Other() { super("other"); }
        public void run() {
            synchronized (LOCK) {
                try {
                    hold();
                } catch (InterruptedException e) {
                    System.out.println("interrupted");
                }
            }
        }
    }
    public static void main(String[] arguments) throws Exception {
        held = true;
        Other other = new Other();
        other.start();
        while (other.getState() != Thread.State.WAITING) Thread.sleep(1);
        System.out.println(Late.value);
        one();
        synchronized (LOCK) { held = false; LOCK.notifyAll(); }
        other.join();
        Native.check("ended");
        System.out.println("done");
    }
}

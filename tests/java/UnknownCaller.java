/** Calls and allocates, while an agent's own thread switches the events of that on and off. */
public class UnknownCaller {
    static volatile Object sink;

    static void tick() {
        sink = new int[1];
    }

    static void ticks() {
        for (int i = 0; i < 1000; i++) {
            tick();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Native.check("on");
        boolean seen = false;
        // JDK 11 puts hooks into 200 classes a second.
        for (int round = 0; round < 600 && !seen; round++) {
            ticks();
            try {
                Native.check("seen");
            } catch (IllegalStateException e) {
                seen = true;
            }
            Thread.sleep(seen ? 0 : 50);
        }
        Native.check("off");
        ticks();
        Native.check("off?");
        System.out.println(seen ? "done" : "nothing came");
    }
}

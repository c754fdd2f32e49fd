/** Makes garbage and collects it while the agent's threads fight over raw monitors. */
public class RawStorm {
    static volatile Object kept;
    static volatile boolean over;

    public static void main(String[] arguments) throws Exception {
        Native.check("prepare");
        Thread garbage = new Thread(() -> {
            for (int i = 0; !over; i++) {
                kept = new int[1000];
                if (i % 2000 == 0) System.gc();
            }
        });
        garbage.start();
        Native.check("storm " + arguments[0]);
        over = true;
        garbage.join();
        System.out.println("done");
    }
}

/** Wants births for moments only, while the heap is collected all the time, and then no more. */
public class IdleBirths {
    static volatile boolean over;

    public static void main(String[] arguments) throws Exception {
        Thread collects = new Thread(() -> {
            while (!over) {
                System.gc();
            }
        });
        collects.start();
        for (int i = 0; i < 12; i++) {
            Native.check("on");
            Native.check("off");
            Thread.sleep(200);
        }
        Native.check("short");
        Thread.sleep(8000);
        Native.check("long");
        over = true;
        collects.join();
    }
}

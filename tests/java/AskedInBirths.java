/** The program of agents/asked_in_births.c. */
public class AskedInBirths {
    static class Marked {
    }

    static volatile Marked kept;

    public static void main(String[] arguments) throws Exception {
        new Marked[0].clone();
        Thread maker = new Thread(() -> kept = new Marked());
        maker.start();
        Native.check("while it is born");
        maker.join();
        System.out.println("done");
    }
}

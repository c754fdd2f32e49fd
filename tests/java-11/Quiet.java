package zoo;

/** Asks for nothing when it works. */
public class Quiet {
    private static int worked;

    public static void work() {
        synchronized (Quiet.class) {
            worked++;
        }
    }
}

/** One method uses nearly all the time: {@code [MILLIS [FILE [exit]]]}, or until there is one; without, two seconds and many rounds. */
public class Hot {
    static int state = 1;

    static int hot(int n) {
        int x = state;
        for (int i = 0; i < n; i++) {
            x = x * 31 + (x >>> 7); // the hottest line
        }
        return x;
    }

    static int cool(int n) {
        return n + 1;
    }

    public static void main(String[] arguments) {
        long millis = arguments.length > 0 ? Long.parseLong(arguments[0]) : 2000;
        java.io.File stop = arguments.length > 1 ? new java.io.File(arguments[1]) : null;
        long end = System.nanoTime() + millis * 1000000;
        // On a machine with much else to do it takes seconds to begin: that is not to be a large part of it.
        int rounds = 0, least = arguments.length > 0 ? 0 : 6000;
        while ((rounds < least || System.nanoTime() < end) && (stop == null || !stop.exists())) {
            state = hot(100000) + cool(rounds++);
        }
        System.out.println("done");
        if (arguments.length > 2) {
            System.exit(0);
        }
    }
}

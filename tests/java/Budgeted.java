import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/**
 * {@code Budgeted LOG WORD}: calls small methods without end, until the log says of methods with that word that they
 * have no events any more ({@code refused}: until the agent {@code spoils} has had the class refused, and rewritten once
 * more), and a million times more. One call of the smallest goes on all that time. Says how often it was called.
 */
public class Budgeted {
    static final int ROUND = 100_000;
    static int sink;
    static long calls;
    static String awaited;

    /** The one call that goes on does all the rest. */
    static int spin(Path log) throws IOException {
        if (log == null) {
            return 1;
        }
        for (int depth = 0; depth < 3; depth++) {
            sink += nested(log, 20);
        }
        return 2;
    }

    static int nested(Path log, int depth) throws IOException {
        if (depth > 0) {
            return nested(log, depth - 1) + 1;
        }
        while (!isOver(log)) {
            sink += round();
        }
        for (int i = 0; i < 10; i++) {
            sink += round();
        }
        return sink;
    }

    static boolean isOver(Path log) throws IOException {
        if (awaited.equals("refused")) {
            return System.getProperty("spoils") != null;
        }
        return new String(Files.readAllBytes(log)).contains(awaited);
    }

    static int round() throws IOException {
        int sum = 0;
        for (int i = 0; i < ROUND; i++) {
            sum += spin(null);
        }
        calls += ROUND;
        return sum;
    }

    public static void main(String[] arguments) throws Exception {
        awaited = arguments[1];
        spin(Paths.get(arguments[0]));
        System.out.println("CALLS " + (calls + 1));
    }
}

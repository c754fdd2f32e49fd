import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Nanoseconds of a call of fib: {@code MethodBench plain|hand|plain-receiver|hand-receiver}.
 * `hand` has the hooks in its source that the shim puts into bytecode, as native methods of
 * tests/bench/methods.c; with `receiver` fib is an instance's, and the hook at its beginning
 * asks JVMTI for the receiver's tag. {@code disabled} and {@code taken-out}: as `plain`, when
 * the agent has had its method events and disabled them, at once or eight seconds ago.
 * {@code late N}: the milliseconds that it takes the agent to begin with N classes loaded.
 */
public class MethodBench {
    static native void register();

    /** The agent begins, and ends. */
    static native void begin();

    static native void end();

    static native void enter(int method);

    static native void exit(int method);

    static native void enterReceiver(Object receiver, int method);

    int fibOf(int n) {
        return n < 2 ? n : fibOf(n - 1) + fibOf(n - 2);
    }

    int fibOfByHand(int n) {
        enterReceiver(this, 77777);
        return n < 2 ? n : fibOfByHand(n - 1) + fibOfByHand(n - 2);
    }

    static int once(String kind, MethodBench receiver, int n) {
        switch (kind) {
            case "hand": return fibByHand(n);
            case "plain-receiver": return receiver.fibOf(n);
            case "hand-receiver": return receiver.fibOfByHand(n);
            default: return fib(n);
        }
    }

    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static int fibByHand(int n) {
        enter(77777);
        try {
            int result = n < 2 ? n : fibByHand(n - 1) + fibByHand(n - 2);
            exit(77777);
            return result;
        } catch (Throwable thrown) {
            exit(77777);
            throw thrown;
        }
    }

    /** Links that many classes of java.base. */
    static void load(int count) throws Exception {
        Path base = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules/java.base");
        List<String> names;
        try (Stream<Path> files = Files.walk(base)) {
            names = files.map(file -> base.relativize(file).toString()).filter(name -> name.endsWith(".class"))
                .map(name -> name.substring(0, name.length() - 6).replace('/', '.')).collect(Collectors.toList());
        }
        int loaded = 0;
        for (String name : names) {
            try {
                if (loaded < count) {
                    Class.forName(name, false, null).getDeclaredMethods();
                    loaded++;
                }
            } catch (ClassNotFoundException | LinkageError e) {
                // What is no class, or needs another module.
            }
        }
        if (loaded < count) {
            throw new AssertionError(loaded);
        }
    }

    public static void main(String[] arguments) throws Exception {
        String kind = arguments[0];
        if (kind.equals("late")) {
            System.loadLibrary("methods");
            load(Integer.parseInt(arguments[1]));
            long start = System.nanoTime();
            begin();
            System.out.println((System.nanoTime() - start) / 1e6);
            return;
        }
        if (kind.equals("disabled") || kind.equals("taken-out")) {
            System.loadLibrary("methods");
            begin();
            fib(20);
            end();
            Thread.sleep(kind.equals("disabled") ? 0 : 8000);
        }
        if (kind.startsWith("hand")) {
            System.loadLibrary("methods");
            register();
        }
        final int n = 26;
        final double calls = 392835;
        MethodBench receiver = new MethodBench();
        double best = Double.MAX_VALUE;
        for (int round = 0; round < 12; round++) {
            long start = System.nanoTime();
            int result = once(kind, receiver, n);
            double each = (System.nanoTime() - start) / calls;
            if (result != 121393) {
                throw new AssertionError(result);
            }
            best = Math.min(best, each);
        }
        System.out.println(best);
    }
}

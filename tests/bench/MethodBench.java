/**
 * Nanoseconds of a call of fib: {@code MethodBench plain|hand}. `hand` has the hooks in its
 * source that the shim puts into bytecode, as native methods of tests/bench/methods.c.
 */
public class MethodBench {
    static native void register();

    static native void enter(int method);

    static native void exit(int method);

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

    public static void main(String[] arguments) {
        boolean hand = arguments[0].equals("hand");
        if (hand) {
            System.loadLibrary("methods");
            register();
        }
        final int n = 26;
        final double calls = 392835;
        double best = Double.MAX_VALUE;
        for (int round = 0; round < 12; round++) {
            long start = System.nanoTime();
            int result = hand ? fibByHand(n) : fib(n);
            double each = (System.nanoTime() - start) / calls;
            if (result != 121393) {
                throw new AssertionError(result);
            }
            best = Math.min(best, each);
        }
        System.out.println(best);
    }
}

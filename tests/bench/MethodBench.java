/**
 * Nanoseconds of a call of fib: {@code MethodBench plain|hand|plain-receiver|hand-receiver}.
 * `hand` has the hooks in its source that the shim puts into bytecode, as native methods of
 * tests/bench/methods.c; with `receiver` fib is an instance's, and the hook at its beginning
 * asks JVMTI for the receiver's tag.
 */
public class MethodBench {
    static native void register();

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
            case "plain": return fib(n);
            case "hand": return fibByHand(n);
            case "plain-receiver": return receiver.fibOf(n);
            default: return receiver.fibOfByHand(n);
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

    public static void main(String[] arguments) {
        String kind = arguments[0];
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

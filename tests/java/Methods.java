import java.util.function.IntUnaryOperator;

/**
 * Calls methods in every way and says how often: {@code CALLS class.name N}. Of
 * what overflows the stack nobody knows how often; {@code Methods shallow} does not.
 */
public class Methods {
    static final int N = 300;
    static volatile int sink;

    static int plain(int n) { return n + 1; }

    static synchronized int locked(int n) { return n + 1; }

    static long wide(long a, double b, int c, float d) { return a + (long) b + c + (long) d; }

    static int branches(int n) {
        if (n % 3 == 0) {
            return 1;
        }
        for (int i = 0; i < n; i++) {
            if (i > 5) {
                return i;
            }
        }
        switch (n) {
            case 1: return 7;
            case 2: return 8;
            default: return 9;
        }
    }

    static int loopAtStart(int n) {
        while (n > 0) {
            n -= 7;
        }
        return n;
    }

    static void thrower(int n) {
        if (n % 2 == 0) {
            throw new IllegalStateException();
        }
    }

    static void passes(int n) { thrower(n); }

    static int finallies(int n) {
        try {
            passes(n);
            return 1;
        } catch (IllegalStateException e) {
            return 2;
        } finally {
            sink++;
        }
    }

    static int recursive(int n) { return n == 0 ? 0 : 1 + recursive(n - 1); }

    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

    static class Base {
        final int value;

        Base(int value) {
            if (value < 0) {
                throw new IllegalArgumentException();
            }
            this.value = value;
        }

        int virtual() { return value; }
    }

    /** Its super() throws: no handler can cover that. */
    static class Derived extends Base {
        Derived(int value) { super(value); }

        Derived() { this(-1); }

        int virtual() { return super.virtual() + 1; }
    }

    static int argument(int n) {
        if (n < 0) {
            throw new IllegalArgumentException();
        }
        return n;
    }

    static class Evaluates extends Base {
        Evaluates(int value) { super(argument(value)); }
    }

    static void afterwards() { sink++; }

    interface Shape {
        int area();

        default int twice() { return 2 * area(); }

        static Shape unit() { return new Square(1); }
    }

    static class Square implements Shape, Comparable<Square> {
        final int side;

        Square(int side) { this.side = side; }

        public int area() { return side * side; }

        public int compareTo(Square other) { return side - other.side; }
    }

    static class Fails {
        static {
            if (sink >= 0) {
                throw new IllegalStateException("in <clinit>");
            }
        }

        static void never() { }
    }

    static class Worker extends Thread {
        public void run() { sink += fib(12); }
    }

    static int overflow(int n) { return 1 + overflow(n + 1); }

    static class Deep {
        Deep next;

        Deep() { next = new Deep(); }
    }

    @SuppressWarnings("unchecked")
    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < N; i++) {
            sink += plain(i) + locked(i) + branches(i) + loopAtStart(i) + finallies(i);
            sink += (int) wide(i, i, i, i);
        }
        for (int i = 0; i < N; i++) {
            try {
                new Derived();
            } catch (IllegalArgumentException e) {
                afterwards();
            }
            try {
                new Evaluates(-1);
            } catch (IllegalArgumentException e) {
                afterwards();
            }
            sink += new Derived(i).virtual() + new Evaluates(i).virtual();
        }
        sink += recursive(2000);
        final int[] calls = new int[1];
        IntUnaryOperator lambda = n -> { calls[0]++; return n * 2; };
        Comparable<Object> raw = (Comparable<Object>) (Object) new Square(4);
        for (int i = 0; i < N; i++) {
            sink += lambda.applyAsInt(i) + Shape.unit().twice() + raw.compareTo(new Square(i));
        }
        for (int i = 0; i < 2; i++) {
            try {
                Fails.never();
            } catch (LinkageError e) {
                afterwards();
            }
        }
        Worker[] workers = new Worker[4];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Worker();
            workers[i].start();
        }
        for (Worker worker : workers) {
            worker.join();
        }
        int overflows = arguments.length > 0 ? 0 : 3;
        for (int i = 0; i < overflows; i++) {
            try {
                overflow(0);
            } catch (StackOverflowError e) {
                afterwards();
            }
            try {
                new Deep();
            } catch (StackOverflowError e) {
                afterwards();
            }
        }
        says("Methods.plain", N);
        says("Methods.locked", N);
        says("Methods.branches", N);
        says("Methods.loopAtStart", N);
        says("Methods.wide", N);
        says("Methods.finallies", N);
        says("Methods.passes", N);
        says("Methods.thrower", N);
        says("Methods$Base.<init>", 3 * N);
        says("Methods$Derived.<init>", 3 * N);
        says("Methods$Evaluates.<init>", 2 * N);
        says("Methods.argument", 2 * N);
        says("Methods$Derived.virtual", N);
        says("Methods$Base.virtual", 2 * N);
        says("Methods.recursive", 2001);
        says("Methods.lambda$main$0", N);
        says("Methods$Shape.unit", N);
        says("Methods$Shape.twice", N);
        says("Methods$Square.area", N);
        says("Methods$Square.compareTo", 2 * N);
        says("Methods$Square.<init>", 2 * N + 1);
        says("Methods$Fails.<clinit>", 1);
        says("Methods$Fails.never", 0);
        says("Methods.fib", 4 * 465);
        says("Methods$Worker.run", 4);
        says("Methods.afterwards", 2 * N + 2 + 2 * overflows);
        says("Methods.main", 1);
        System.out.println("done");
    }

    static void says(String method, int calls) {
        System.out.println("CALLS " + method + " " + calls);
    }
}

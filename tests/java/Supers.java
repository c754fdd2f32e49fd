/**
 * Constructors whose super() throws, where no handler can stand, and handlers that call methods
 * of all sizes next: {@code Supers N} times each.
 */
public class Supers {
    static volatile long sink;
    static final IllegalArgumentException THROWN = new IllegalArgumentException();

    static class Base {
        Base(int n) {
            if (n < 0) {
                throw THROWN;
            }
        }

        Base(long a, double b, long c, double d) {
            if (a < 0) {
                throw THROWN;
            }
        }
    }

    static class Derived extends Base {
        Derived(int n) { super(n); }

        Derived(long a, double b, long c, double d) { super(a, b, c, d); }

        Derived() { this(-1); }
    }

    static class Third extends Derived {
        Third(int n) { super(n); }
    }

    /** Its super() is called with an object that is made for it, and that throws. */
    static class Made extends Base {
        Made(int n) { super(new Derived(n) == null ? 1 : 2); }
    }

    static int argument(int n) {
        if (n < 0) {
            throw THROWN;
        }
        return n;
    }

    /** It throws before its super() is called: there a handler can stand. */
    static class Evaluates extends Base {
        Evaluates(int n) { super(argument(n)); }
    }

    /** Its super() throws, behind a method that was called for it. */
    static class Passes extends Base {
        Passes(int n) { super(-argument(n)); }
    }

    static void none() { sink++; }

    static void narrow(int a, Object b) { sink += a; }

    static void wide(long a, double b, long c, double d) { sink += a + c; }

    static void widest(long a, double b, long c, double d, long e, double f, long g, double h,
                       long i, double j, long k, double l, long m, double n, long o, double p) {
        sink += a + c + e + g + i + k + m + o;
    }

    void ofObject(long a, double b, long c, double d) { sink += a + c; }

    /** Many locals, and a deep operand stack. */
    static long large(long a, double b) {
        long c = a + 1, d = c + 2, e = d + 3, f = e + 4, g = f + 5, h = g + 6;
        double i = b + 1, j = i + 2, k = j + 3, l = k + 4, m = l + 5;
        return a + (c + (d + (e + (f + (g + (h + (long) (i + (j + (k + (l + m))))))))));
    }

    static void make(int which) {
        switch (which) {
            case 0: new Derived(-1); break;
            case 1: new Derived(-1L, 1.0, 2L, 2.0); break;
            case 2: new Derived(); break;
            case 3: new Third(-1); break;
            case 4: new Made(-1); break;
            case 5: new Evaluates(-1); break;
            default: new Passes(1);
        }
    }

    static void use(Supers object, int which) {
        switch (which) {
            case 0: none(); break;
            case 1: narrow(1, object); break;
            case 2: wide(1, 2, 3, 4); break;
            case 3: widest(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16); break;
            case 4: object.ofObject(1, 2, 3, 4); break;
            default: sink += large(1, 2);
        }
    }

    /** The constructor and the method are called from the same frame. */
    static void once(Supers object, int made, int used) {
        try {
            switch (made) {
                case 0: new Derived(-1); break;
                case 1: new Derived(-1L, 1.0, 2L, 2.0); break;
                case 2: new Derived(); break;
                case 3: new Third(-1); break;
                case 4: new Made(-1); break;
                case 5: new Evaluates(-1); break;
                default: new Passes(1);
            }
        } catch (IllegalArgumentException e) {
            switch (used) {
                case 0: none(); break;
                case 1: narrow(1, object); break;
                case 2: wide(1, 2, 3, 4); break;
                case 3: widest(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16); break;
                case 4: object.ofObject(1, 2, 3, 4); break;
                default: sink += large(1, 2);
            }
        }
    }

    static void apart(Supers object, int made, int used) {
        try {
            make(made);
        } catch (IllegalArgumentException e) {
            use(object, used);
        }
    }

    /** The handler is in a constructor, and the next method too. */
    static class Outer {
        Outer(int made, int used) {
            once(null, made, 3);
            try {
                make(made);
            } catch (IllegalArgumentException e) {
                new Derived(1L, 2.0, 3L, 4.0);
            }
        }
    }

    public static void main(String[] arguments) {
        int number = Integer.parseInt(arguments[0]);
        Supers object = new Supers();
        for (int i = 0; i < number; i++) {
            for (int made = 0; made < 7; made++) {
                for (int used = 0; used < 6; used++) {
                    once(object, made, used);
                    apart(object, made, used);
                }
                new Outer(made, 3);
            }
        }
        System.out.println("done");
    }
}

/** Calls methods of which some are small, and says how often: {@code CALLS|SMALL class.name N}. */
public class Smalls {
    static final int N = 300;
    static int sink;
    int field;

    int get() { return field; }

    void set(int value) { field = value; }

    static int most(int a, int b) { return a > b ? a : b; }

    static int kind(int n) {
        switch (n) {
            case 0: return 7;
            default: return 9;
        }
    }

    static void fails(int n) {
        if (n % 2 == 0) {
            throw null;
        }
    }

    static int calls(int n) { return most(n, 1); }

    static int loops(int n) {
        while (n > 0) {
            n -= 50;
        }
        return n;
    }

    static int[] makes(int n) { return new int[n]; }

    static synchronized int waits(int n) { return n; }

    int locks(int n) {
        synchronized (this) {
            return n;
        }
    }

    static int catches(int a, int b) {
        try {
            return a / b;
        } catch (ArithmeticException e) {
            return 0;
        }
    }

    static int isLong(int n) {
        return n * 31 + n * 37 + n * 41 + n * 43 + n * 47 + n * 53 + n * 59 + n * 61 + n * 67 + n * 71 + n * 73;
    }

    Smalls next() { return new Smalls(); }

    /** What a superclass throws leaves these constructors, too. */
    static class Fails {
        Fails(int n) {
            if (n % 2 == 0) {
                throw null;
            }
        }
    }

    static class Below extends Fails {
        int value;

        Below(int n) {
            super(n);
            value = n;
        }
    }

    static class Pair {
        final Object first;
        final long second;

        Pair(Object first, long second) {
            this.first = first;
            this.second = second;
        }
    }

    public static void main(String[] arguments) throws Exception {
        Smalls smalls = new Smalls();
        for (int i = 0; i < N; i++) {
            smalls.set(i);
            sink += smalls.get() + most(i, 5) + kind(i) + calls(i) + loops(i) + makes(i % 9).length + waits(i);
            sink += smalls.locks(i) + catches(i, i % 2) + isLong(i) + smalls.next().field;
            sink += System.identityHashCode(smalls) + (int) System.nanoTime();
            sink += (int) new Pair(smalls, i).second;
            try {
                fails(i);
            } catch (NullPointerException e) {
                sink++;
            }
            try {
                sink += new Below(i).value;
            } catch (NullPointerException e) {
                sink++;
            }
        }
        for (String name : new String[] {"get", "set", "kind", "fails"}) {
            System.out.println("SMALL Smalls." + name + " " + N);
        }
        System.out.println("SMALL Smalls.most " + 2 * N);
        for (String name : new String[] {"calls", "loops", "makes", "waits", "locks", "catches", "isLong", "next"}) {
            System.out.println("CALLS Smalls." + name + " " + N);
        }
        for (String name : new String[] {"Fails", "Below"}) {
            System.out.println("CALLS Smalls$" + name + ".<init> " + N);
        }
        System.out.println("SMALL Smalls$Pair.<init> " + N);
        System.out.println("SMALL Smalls.<init> " + (N + 1));
    }
}

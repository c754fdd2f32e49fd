/** Branches of every kind, and how they went: {@code BRANCH kind TAKEN TOTAL}. */
public class Branches {
    static final int N = 200;
    static volatile int sink;
    static int taken;

    static int ifInt(int n) {
        if (n == 0) {
            return 1;
        }
        return 2;
    }

    static int ifInts(int a, int b) {
        if (a < b) {
            return 1;
        }
        return 2;
    }

    static int ifNull(Object o) {
        if (o == null) {
            return 1;
        }
        return 2;
    }

    static int ifSame(Object a, Object b) {
        if (a == b) {
            return 1;
        }
        return 2;
    }

    static int table(int n) {
        switch (n) {
            case 3: return 1;
            case 4: return 2;
            case 5: return 3;
            default: return 4;
        }
    }

    static int lookup(int n) {
        switch (n) {
            case -1000: return 1;
            case 7: return 2;
            case 100000: return 3;
            default: return 4;
        }
    }

    public static void main(String[] arguments) {
        Object one = new Object();
        Object two = new Object();
        for (int i = 0; i < N; i++) {
            sink += ifInt(i % 4) + ifInts(i, N / 2) + ifNull(i % 5 == 0 ? null : one);
            sink += ifSame(one, i % 8 == 0 ? one : two) + table(i % 10);
            sink += lookup(i % 3 == 0 ? 7 : i % 3 == 1 ? 100000 : i);
        }
        System.out.println("done");
    }
}

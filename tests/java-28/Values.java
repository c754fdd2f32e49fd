import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

/** Value objects: made in a loop, in fields and arrays, as receivers, and where they are refused. */
public class Values {
    interface Shape {
        int area();

        default int twice() {
            return 2 * area();
        }
    }

    value record Square(int side) implements Shape {
        public int area() {
            return side * side;
        }
    }

    abstract static value class Base {
        abstract int number();

        int next() {
            return number() + 1;
        }
    }

    /** Its fields are set before Object's constructor is called. */
    static value class Leaf extends Base {
        final int number;
        final Object held;

        Leaf(int number, Object held) {
            if (number < 0) {
                throw new IllegalArgumentException("negative");
            }
            this.number = number;
            this.held = held;
            super();
        }

        int number() {
            return number;
        }

        Leaf fails() {
            throw new IllegalStateException(Integer.toString(number));
        }
    }

    /** Has identity, and is held by a value object alone. */
    static class Marker {
        final int mark;

        Marker(int mark) {
            this.mark = mark;
        }

        /** A receiver that has identity. */
        boolean has(int mark) {
            return this.mark == mark;
        }
    }

    static class Keeper {
        Square square;
        Leaf leaf;
        Shape shape;
        Square[] squares;
        Leaf[] leaves;
        Object[] objects;
    }

    static final List<Keeper> KEPT = new ArrayList<>();
    static volatile Object sink;

    static Keeper keeper(int round) {
        Keeper keeper = new Keeper();
        keeper.square = new Square(round);
        keeper.leaf = new Leaf(round, new Marker(round));
        keeper.shape = new Square(round + 1);
        keeper.squares = new Square[8];
        keeper.leaves = new Leaf[8];
        keeper.objects = new Object[8];
        for (int at = 0; at < 8; at++) {
            keeper.squares[at] = new Square(round + at);
            keeper.leaves[at] = new Leaf(at, keeper.leaf);
            keeper.objects[at] = new Square(at);
        }
        return keeper;
    }

    static long use(Keeper keeper) {
        long sum = keeper.square.area() + keeper.leaf.next() + keeper.shape.twice();
        sum += ((Marker) keeper.leaf.held).has(7) ? 1 : 0;
        for (int at = 0; at < 8; at++) {
            sum += keeper.squares[at].twice() + keeper.leaves[at].next() + keeper.objects[at].hashCode();
        }
        return sum;
    }

    static String refused(Runnable run) {
        try {
            run.run();
            return "nothing";
        } catch (RuntimeException error) {
            return error.getClass().getSimpleName();
        }
    }

    static void enter(Object object) {
        synchronized (object) {
            sink = object;
        }
    }

    static void attempt() {
        Object value = new Square(7);
        System.out.println("monitor " + refused(() -> enter(value)));
        System.out.println("notify " + refused(value::notify));
        System.out.println("weak " + refused(() -> new WeakReference<>(value)));
        System.out.println("thrown " + refused(() -> new Leaf(3, null).fails()));
        System.out.println("negative " + refused(() -> new Leaf(-1, null)));
        System.out.println("same " + (value == (Object) new Square(7)));
    }

    public static void main(String[] arguments) throws Exception {
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 2000;
        long sum = 0;
        for (int round = 0; round < rounds; round++) {
            Keeper keeper = keeper(round);
            sum += use(keeper);
            if (round % 100 == 0) {
                KEPT.add(keeper);
            }
            if (round % 1000 == 999) {
                System.gc();
            }
        }
        attempt();
        Thread[] threads = new Thread[2];
        long[] sums = new long[threads.length];
        for (int number = 0; number < threads.length; number++) {
            int mine = number;
            threads[number] = new Thread(() -> {
                for (int round = 0; round < rounds / 4; round++) {
                    sums[mine] += use(keeper(round));
                }
            });
            threads[number].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("kept " + KEPT.size() + " " + (sums[0] == sums[1]) + " " + (sum != 0));
    }
}

import java.io.File;
import java.io.InputStream;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Function;
import java.util.function.IntBinaryOperator;
import java.util.function.Supplier;

/** What Java has had since release 9: records, sealed and hidden classes, and all that goes with them. */
public final class Modern {
    record Empty() { }

    record Point(int x, int y) {
        static int made;
        static final Point ORIGIN = new Point(0, 0);

        Point {
            made++;
        }
    }

    sealed interface Shape permits Circle, Square, Wide {
        Point AT = new Point(-1, 1);
    }

    record Circle(Point centre, double radius) implements Shape { }

    record Wide(boolean z, char c, byte b, short s, int i, long j, float f, double d, Object o, int[] a) implements Shape, Comparable<Wide> {
        public int compareTo(Wide other) {
            return Integer.compare(i, other.i);
        }
    }

    static non-sealed class Square implements Shape {
        private final Pair<Point, ? extends Shape> corner;
        private byte narrow = -7;

        Square(Pair<Point, ? extends Shape> corner) {
            this.corner = corner;
        }
    }

    static final class Cube extends Square {
        private final long[] edges = {1, -2};
        private boolean narrow = true;

        Cube(Pair<Point, ? extends Shape> corner) {
            super(corner);
        }
    }

    record Pair<A, B>(A first, B second) { }

    enum Op implements IntBinaryOperator {
        PLUS("+") {
            private final Object ownState = new int[] {3};

            public int applyAsInt(int a, int b) {
                return a + b;
            }
        },
        FIRST("a") {
            public int applyAsInt(int a, int b) {
                return a;
            }
        };

        static final Map<Op, Object> KNOWN = new EnumMap<>(Op.class);
        private final String sign;

        Op(String sign) {
            this.sign = sign;
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Marked {
        Op op() default Op.PLUS;

        String[] words() default {"a", "b"};
    }

    /** Defined once more, as a hidden class. */
    @Marked(words = "hidden")
    static class Template implements Supplier<Object> {
        static Object last;
        private final Object own = new Pair<>(this, "own");
        private final short number = 77;

        public Object get() {
            last = own;
            return last;
        }
    }

    /** Only a virtual thread that is parked holds it. */
    static class OfVirtual {
        private final int number;

        OfVirtual(int number) {
            this.number = number;
        }
    }

    static final List<Object> ALL = new ArrayList<>();
    static final List<Object> PARKED = new ArrayList<>();
    static final ReferenceQueue<Object> QUEUE = new ReferenceQueue<>();
    static final ThreadLocal<Object> LOCAL = ThreadLocal.withInitial(() -> new Pair<>("local", 1));
    static final ClassValue<Object> VALUE = new ClassValue<>() {
        @Override
        protected Object computeValue(Class<?> type) {
            return new Pair<>(type, type.getName());
        }
    };
    static WeakReference<Object> weak;
    static WeakReference<Object> cleared;
    static SoftReference<Object> soft;
    static PhantomReference<Object> phantom;
    static Map<Object, Object> weakly = new WeakHashMap<>();
    static volatile int volatileNumber;
    static volatile boolean over;

    static Pair<Object, Object> chain(int length) {
        Pair<Object, Object> last = new Pair<>(null, null);
        for (int i = 0; i < length; i++) {
            last = new Pair<>(i % 2 == 0 ? new Point(i, -i) : new Wide(i % 3 == 0, (char) i, (byte) i, (short) -i, i, ~(long) i,
                i * 0.5f, 1.0 / i, last.first, new int[] {i}), last);
        }
        return last;
    }

    static Object hidden(MethodHandles.Lookup lookup) throws Exception {
        try (InputStream in = Modern.class.getResourceAsStream("Modern$Template.class")) {
            Class<?> hidden = lookup.defineHiddenClass(in.readAllBytes(), true, MethodHandles.Lookup.ClassOption.NESTMATE).lookupClass();
            Supplier<?> made = (Supplier<?>) hidden.getDeclaredConstructor().newInstance();
            return new Object[] {hidden, made, made.get(), hidden.getAnnotation(Marked.class)};
        }
    }

    static void hold(Object mine) {
        while (!over) {
            try {
                Thread.sleep(100_000);
            } catch (InterruptedException e) {
                System.out.println(mine);
            }
        }
    }

    /** Virtual threads that are parked, where there are any. */
    static void park() throws Exception {
        if (Runtime.version().feature() < 21) {
            return;
        }
        for (int i = 0; i < 20; i++) {
            int number = i;
            Thread thread = (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null,
                (Runnable) () -> hold(new OfVirtual(number)));
            PARKED.add(thread);
            while (thread.getState() != Thread.State.TIMED_WAITING) {
                Thread.sleep(1);
            }
        }
    }

    public static void main(String[] words) throws Throwable {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        int length = words.length > 1 ? Integer.parseInt(words[1]) : 5000;
        record Local(Object captured, Supplier<Object> maker) { }
        Object strong = new Pair<>("strong", length);
        ALL.add(chain(length));
        ALL.add(new Empty());
        ALL.add(Point.ORIGIN);
        ALL.add(new Circle(Shape.AT, Math.E));
        ALL.add(new Cube(new Pair<>(new Point(1, 2), new Circle(null, Double.NaN))));
        ALL.add(new Local(strong, () -> new Pair<>(strong, words)));
        ALL.add(new Object[] {(Function<Object, Object>) Empty.class::isInstance, (Supplier<Object>) Empty::new});
        ALL.add(hidden(lookup));
        ALL.add(new Object[] {Op.values(), Op.PLUS, Op.valueOf("FIRST").applyAsInt(1, 2)});
        Op.KNOWN.put(Op.FIRST, new Pair<>(Op.PLUS, Op.PLUS));
        ALL.add(Template.class.getAnnotation(Marked.class));
        ALL.add(Proxy.newProxyInstance(Modern.class.getClassLoader(), new Class<?>[] {Supplier.class, Comparable.class},
            (InvocationHandler) (proxy, what, arguments) -> strong));
        ALL.add(List.of(1, 2L, "three", new Point(3, 3)));
        ALL.add(Map.of("a", new Empty(), "b", Optional.of(new Point(4, 4))));
        ALL.add(Set.of(Op.PLUS));
        ALL.add("""
            A text
              block, \u00e9 and \u4e2d""");
        MethodHandle handle = lookup.findStatic(Modern.class, "chain", MethodType.methodType(Pair.class, int.class));
        ALL.add(new Pair<>(handle, handle.invoke(3)));
        VarHandle variable = lookup.findStaticVarHandle(Modern.class, "volatileNumber", int.class);
        variable.setVolatile(5);
        ALL.add(variable);
        ALL.add(ByteBuffer.allocateDirect(100).putInt(1234));
        ALL.add(LOCAL.get());
        ALL.add(VALUE.get(Point.class));
        weak = new WeakReference<>(strong);
        cleared = new WeakReference<>(new Point(9, 9), QUEUE);
        soft = new SoftReference<>(new Point(8, 8));
        phantom = new PhantomReference<>(strong, QUEUE);
        weakly.put(strong, new Point(7, 7));
        weakly.put(Op.PLUS, "for ever");
        park();
        for (int i = 0; i < 3; i++) {
            System.gc();
            Thread.sleep(20);
        }
        System.out.println("ready");
        File end = new File(words[0]);
        while (!end.exists()) {
            Thread.sleep(20);
        }
        System.out.println("done " + (strong == weak.get()) + (cleared.get() == null));
        Reference.reachabilityFence(strong);
        System.exit(0);
    }
}

import java.io.File;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;

/** Every kind of field, array and reference, for dumps to be compared. */
public final class Shapes {
    interface Zero { int P = 3; long ZERO = Long.valueOf(7); }
    interface One extends Zero { String X = new String("one"); Object LOCK = new Object(); }
    interface Two extends Zero { double Y = Math.sqrt(2); int[] TABLE = {1, 2, 3}; }
    interface Plain { }

    static class Base implements One {
        static int baseStatic = 11;
        protected boolean z = true;
        private byte b = -5;
        Object shared = "base";
        static Object baseObject = new Object[] {"x", null, 3};
        private int hidden = 1;
    }

    static class Middle extends Base implements Two, Plain {
        private int hidden = 2;
        char c = '\u20ac';
        static float middleStatic = -0.0f;
        Middle self = this;
    }

    static final class Leaf extends Middle implements One, Comparable<Leaf> {
        static long leafStatic = Long.MIN_VALUE;
        static final String CONSTANT = "a constant";
        private int hidden = 3;
        short s = Short.MIN_VALUE;
        float f = Float.intBitsToFloat(0x7fc12345);
        double d = Math.PI;
        long l = 0x0123456789abcdefL;
        Object nothing;
        Leaf next;
        Object[] elements;
        static boolean leafBoolean = true;
        static char leafChar = 'x';
        static byte leafByte = 127;
        static short leafShort = -1;
        static double leafDouble = Double.MIN_VALUE;
        static Leaf first;
        public int compareTo(Leaf other) { return Integer.compare(hidden, other.hidden); }
    }

    static class Empty { }
    static class OneByte { byte only = 42; }
    static class Bools { boolean a = true, b, c = true; Object o = this; boolean d = true; }
    enum Colour implements Supplier<String> {
        RED, GREEN { @Override public String get() { return "g"; } };
        public String get() { return name(); }
    }

    final class Inner { int outer = Shapes.this.number; }
    int number = 5;

    static final List<Object> ALL = new ArrayList<>();
    static final Map<String, Object> NAMED = new LinkedHashMap<>();
    static WeakReference<Object> weak;
    static SoftReference<Object> soft;
    static Supplier<String> lambda = () -> "no capture";
    static Supplier<Integer> capturing;
    static Function<Object, String> method = Object::toString;
    static Class<?>[] classes = {int.class, void.class, int[].class, String.class, Leaf[][].class, Runnable.class};
    static final Object THREADS = new Object();
    static volatile boolean over;

    static Object arrays() {
        Map<String, Object> map = new TreeMap<>();
        map.put("z", new boolean[] {true, false, true});
        map.put("c", new char[] {'a', '\u0000', '\uffff'});
        map.put("f", new float[] {1.5f, Float.NaN, -0.0f});
        map.put("d", new double[] {Double.NEGATIVE_INFINITY, 1e-300});
        map.put("b", new byte[] {1, -1, 127, -128});
        map.put("s", new short[] {258, -2});
        map.put("i", new int[] {0x01020304, -1});
        map.put("j", new long[] {0x0102030405060708L, -1});
        map.put("o", new Object[] {null, "x", new Object[0], map});
        map.put("none", new int[0]);
        map.put("deep", new int[3][4][]);
        map.put("leaves", new Leaf[] {new Leaf(), null});
        map.put("large", new byte[3_000_001]);
        map.put("wide", new Object[100_000]);
        ((Object[]) map.get("wide"))[99_999] = "end";
        ((byte[]) map.get("large"))[3_000_000] = 77;
        map.put("interfaces", new Comparable<?>[] {1, "2", 3L});
        return map;
    }

    static Leaf chain(int length) {
        Leaf first = null;
        for (int i = 0; i < length; i++) {
            Leaf leaf = new Leaf();
            leaf.next = first;
            leaf.l = i;
            leaf.d = i * 0.5;
            leaf.elements = i % 3 == 0 ? null : new Object[] {leaf, first, i};
            first = leaf;
        }
        return first;
    }

    public static void main(String[] words) throws Exception {
        ALL.add(arrays());
        ALL.add(new Empty());
        ALL.add(new OneByte());
        ALL.add(new Bools());
        ALL.add(new Shapes().new Inner());
        ALL.add(Colour.values());
        ALL.add(Proxy.newProxyInstance(Shapes.class.getClassLoader(), new Class<?>[] {Runnable.class, Plain.class},
            (InvocationHandler) (proxy, what, arguments) -> null));
        ALL.add(new Exception("with a cause", new Error("cause")));
        IdentityHashMap<Object, Object> identity = new IdentityHashMap<>();
        identity.put(ALL, NAMED);
        ALL.add(identity);
        ALL.add(One.X + Two.Y + Zero.ZERO);
        ALL.add("text \u00e9 \u4e2d");
        Leaf.first = chain(words.length > 1 ? Integer.parseInt(words[1]) : 20_000);
        Leaf last = Leaf.first;
        while (last.next != null) {
            last = last.next;
        }
        last.next = Leaf.first; // a cycle
        int captured = 99;
        capturing = () -> captured;
        Object held = new Object();
        weak = new WeakReference<>(held);
        soft = new SoftReference<>(new int[] {5});
        Map<Object, Object> hash = new HashMap<>();
        for (int i = 0; i < 5000; i++) {
            hash.put("key" + i, i % 2 == 0 ? (Object) Integer.valueOf(i) : Long.valueOf(i));
        }
        NAMED.put("hash", hash);
        NAMED.put(lambda.get(), capturing.get());
        NAMED.put(method.apply(captured), soft);
        Thread waiting = new Thread(() -> {
            Leaf local = new Leaf();
            local.l = 4711;
            synchronized (local) {
                while (!over) {
                    try {
                        local.wait(100_000);
                    } catch (InterruptedException e) {
                        return;
                    }
                }
            }
        }, "waiting");
        waiting.setDaemon(true);
        waiting.start();
        while (waiting.getState() != Thread.State.TIMED_WAITING) {
            Thread.sleep(1);
        }
        for (int i = 0; i < 2; i++) {
            System.gc();
        }
        System.out.println("ready");
        File end = new File(words[0]);
        while (!end.exists()) {
            Thread.sleep(20);
        }
        System.out.println("done " + (held == weak.get()));
    }
}

import java.io.File;
import java.lang.ref.WeakReference;

/**
 * Builds a known set of live objects, drops known parts of it and says LIVE NAME
 * N. With a word behind it, it then waits for a file of this name.
 */
public class LiveSet {
    static class Kept { long a; Object b; }
    static class Halved { int a; }
    static class Dropped { Object next; }
    static class Cycle { Cycle next; }
    static class Replaced { int a; }
    static class Element { }
    static class Copied implements Cloneable {
        Object copy() throws Exception { return clone(); }
    }

    static Object[] kept;
    static Object[] halved;
    static Object[] replaced;
    static Object[] copied;
    static Element[][] elements;
    static Object dropped;

    static void build() throws Exception {
        kept = new Object[3000];
        for (int i = 0; i < kept.length; i++) {
            kept[i] = new Kept();
        }
        halved = new Object[2000];
        for (int i = 0; i < halved.length; i++) {
            halved[i] = new Halved();
        }
        Dropped chain = null;
        for (int i = 0; i < 5000; i++) {
            Dropped link = new Dropped();
            link.next = chain;
            chain = link;
        }
        dropped = chain;
        for (int i = 0; i < 100; i++) {
            Cycle one = new Cycle();
            Cycle two = new Cycle();
            one.next = two;
            two.next = one;
        }
        // Links it: arrays of a class that is not linked are told of without that.
        Element.class.getDeclaredFields();
        elements = new Element[40][25];
        for (int i = 0; i < 40; i += 2) {
            for (int j = 0; j < 25; j++) {
                elements[i][j] = new Element();
            }
        }
        replaced = new Object[100];
        for (int i = 0; i < 10000; i++) {
            replaced[i % 100] = new Replaced();
        }
        copied = new Object[1000];
        Copied original = new Copied();
        for (int i = 0; i < 20000; i++) {
            copied[i % 1000] = original.copy();
        }
    }

    static void drop() {
        for (int i = 0; i < halved.length; i += 2) {
            halved[i] = null;
        }
        dropped = null;
        for (int i = 0; i < 40; i += 4) {
            elements[i] = null;
        }
    }

    /**
     * Two whole ones, since the first may have begun too early for some: each begins after what it
     * has to find, and is over when that is gone. What they found is told at the end at the latest.
     */
    static void collect() {
        for (int i = 0; i < 2; i++) {
            WeakReference<Object> gone = new WeakReference<>(new Object());
            do {
                System.gc();
            } while (gone.get() != null);
        }
    }

    public static void main(String[] arguments) throws Exception {
        build();
        System.gc();
        drop();
        collect();
        System.out.println("LIVE LiveSet$Copied 1000");
        System.out.println("LIVE LiveSet$Cycle 0");
        System.out.println("LIVE LiveSet$Dropped 0");
        System.out.println("LIVE LiveSet$Element 250");
        System.out.println("LIVE LiveSet$Element[] 30");
        System.out.println("LIVE LiveSet$Element[][] 1");
        System.out.println("LIVE LiveSet$Halved 1000");
        System.out.println("LIVE LiveSet$Kept 3000");
        System.out.println("LIVE LiveSet$Replaced 100");
        System.out.println("COUNT LiveSet$Copied 20001");
        System.out.println("COUNT LiveSet$Cycle 200");
        System.out.println("COUNT LiveSet$Dropped 5000");
        System.out.println("COUNT LiveSet$Element 500");
        System.out.println("COUNT LiveSet$Element[] 40");
        System.out.println("COUNT LiveSet$Element[][] 1");
        System.out.println("COUNT LiveSet$Halved 2000");
        System.out.println("COUNT LiveSet$Kept 3000");
        System.out.println("COUNT LiveSet$Replaced 10000");
        System.out.println("ready");
        if (arguments.length > 0) {
            while (!new File(arguments[0]).exists()) {
                Thread.sleep(20);
            }
        }
    }
}

import java.util.ArrayList;
import java.util.List;

/** Allocates known numbers of objects in known places; some of them stay. */
public class HprofSites {
    static class Kept { int a; }
    static class Dropped { long a, b; }
    static class Linked { Linked next; Object held; }

    static final List<Object> KEPT = new ArrayList<>(5000);

    static Object kept() {
        return new Kept();
    }

    static void here() {
        for (int i = 0; i < 1000; i++) {
            KEPT.add(kept());
        }
    }

    static void there() {
        for (int i = 0; i < 500; i++) {
            KEPT.add(kept());
        }
    }

    static int dropped() {
        int sum = 0;
        for (int i = 0; i < 2000; i++) {
            sum += new Dropped().hashCode() & 1;
        }
        return sum;
    }

    static void arrays() {
        for (int i = 0; i < 30; i++) {
            KEPT.add(new Kept[100]);
            KEPT.add(new Linked[7][]);
        }
    }

    static void chain() {
        Linked last = null;
        for (int i = 0; i < 300; i++) {
            Linked link = new Linked();
            link.next = last;
            last = link;
        }
        KEPT.add(last);
    }

    public static void main(String[] words) {
        here();
        there();
        dropped();
        arrays();
        chain();
        // With -XX:+HeapDumpAfterFullGC the VM writes a dump of its own here.
        System.gc();
        System.out.println("done");
    }
}

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/** The program of agents/sought.c: monitors of four classes, the first of each older than its class's first contention. */
public class Sought {
    static class OfFew {
    }

    static class OfSome {
        int number;
    }

    static class OfMany {
        Object other;
    }

    static class OfLate {
    }

    static final List<Supplier<Object>> CLASSES = Arrays.asList(OfFew::new, OfSome::new, OfMany::new, OfLate::new);
    static List<Object> made = new ArrayList<>();
    static int contended;

    static void make(Supplier<Object> maker, int count) {
        for (int i = 0; i < count; i++) {
            made.add(maker.get());
            Native.check("born");
        }
    }

    static void contend(int number) throws Exception {
        Object monitor = made.get(number);
        Thread other = new Thread(() -> {
            synchronized (monitor) {
                contended++;
            }
        });
        synchronized (monitor) {
            other.start();
            Native.check("contended " + number);
        }
        other.join();
    }

    public static void main(String[] arguments) throws Exception {
        int each = 300;
        for (Supplier<Object> maker : CLASSES) {
            make(maker, each);
        }
        System.gc();
        int young = made.size();
        for (Supplier<Object> maker : CLASSES) {
            make(maker, each);
        }
        for (int of = 0; of < CLASSES.size(); of++) {
            contend(of * each);
            contend(young + of * each);
            contend(of * each + each - 1);
            int next = made.size();
            make(CLASSES.get(of), 2);
            contend(next + 1);
            System.gc();
            contend(next);
        }
        int monitors = contended;
        made = null;
        // A thread that was joined may have something to do still, and hold what it has locked.
        for (int round = 0; round < 3; round++) {
            System.gc();
            Native.rest(30);
        }
        Native.check(monitors + " dead");
        System.out.println("done");
    }
}

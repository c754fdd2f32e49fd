import java.io.File;
import java.util.ArrayList;
import java.util.List;

/** Allocates and computes in each round, which begins when the file "round 1", and so on, is there; ends by "end". */
public class HprofCommanded {
    static class Kept { int a; }

    static final List<Object> KEPT = new ArrayList<>(100000);
    static volatile int burnt;

    static Object make() {
        return new Kept();
    }

    static void round() {
        for (int i = 0; i < 100; i++) {
            KEPT.add(make());
            new Object();
        }
        burn();
    }

    static void burn() {
        long until = System.nanoTime() + 200_000_000;
        while (System.nanoTime() < until) {
            for (int i = 0; i < 10000; i++) {
                burnt += i;
            }
        }
    }

    public static void main(String[] words) throws Exception {
        for (int i = 1;; i++) {
            while (!new File("round " + i).exists()) {
                if (new File("end").exists()) {
                    System.out.println("done");
                    return;
                }
                Thread.sleep(5);
            }
            round();
            System.out.println("round " + i);
            System.out.flush();
        }
    }
}

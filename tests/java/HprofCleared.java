import java.io.File;
import java.util.ArrayList;
import java.util.List;

/** Allocates in rounds, each time in the same places, and forgets of what is older; goes on when the file "round 2", and so on, is there. */
public class HprofCleared {
    static class Kept { int a; }
    static class Partly { long a; }
    static class Late { int a; }

    static final List<Object> KEPT = new ArrayList<>(5000);

    static void round(int kept, int partly, int dropped, int late, int forgotten) {
        KEPT.subList(0, forgotten).clear();
        for (int i = 0; i < kept; i++) {
            KEPT.add(new Kept());
        }
        for (int i = 0; i < partly + dropped; i++) {
            Object one = new Partly();
            if (i < partly) {
                KEPT.add(one);
            }
        }
        for (int i = 0; i < late; i++) {
            KEPT.add(new Late());
        }
    }

    public static void main(String[] words) throws Exception {
        int[][] rounds = { { 1000, 10, 700, 0, 0 }, { 200, 30, 50, 5, 600 }, { 3, 0, 0, 2, 500 } };
        for (int i = 0; i < rounds.length; i++) {
            File next = new File("round " + (i + 1));
            while (i > 0 && !next.exists()) {
                Thread.sleep(5);
            }
            round(rounds[i][0], rounds[i][1], rounds[i][2], rounds[i][3], rounds[i][4]);
            System.out.println(next);
            System.out.flush();
        }
        while (!new File("end").exists()) {
            Thread.sleep(5);
        }
        System.out.println("done");
    }
}

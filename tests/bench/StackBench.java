import java.nio.file.Files;
import java.nio.file.Paths;

/**
 * {@code StackBench N}: allocates on N stacks that differ in their upper 13 frames, and says
 * how much memory the process has then, in KB.
 */
public class StackBench {
    static final int[] TENS = {1, 10, 100, 1_000, 10_000, 100_000};
    static Object sink;

    static void m0(int path, int left) { next(path, left); }
    static void m1(int path, int left) { next(path, left); }
    static void m2(int path, int left) { next(path, left); }
    static void m3(int path, int left) { next(path, left); }
    static void m4(int path, int left) { next(path, left); }
    static void m5(int path, int left) { next(path, left); }
    static void m6(int path, int left) { next(path, left); }
    static void m7(int path, int left) { next(path, left); }
    static void m8(int path, int left) { next(path, left); }
    static void m9(int path, int left) { next(path, left); }

    /** Six digits of `path` are the way to the allocation. */
    static void next(int path, int left) {
        if (left == 0) {
            sink = new StackBench();
            return;
        }
        int below = TENS[left - 1];
        switch (path / below) {
            case 0: m0(path % below, left - 1); break;
            case 1: m1(path % below, left - 1); break;
            case 2: m2(path % below, left - 1); break;
            case 3: m3(path % below, left - 1); break;
            case 4: m4(path % below, left - 1); break;
            case 5: m5(path % below, left - 1); break;
            case 6: m6(path % below, left - 1); break;
            case 7: m7(path % below, left - 1); break;
            case 8: m8(path % below, left - 1); break;
            default: m9(path % below, left - 1);
        }
    }

    public static void main(String[] words) throws Exception {
        int stacks = Integer.parseInt(words[0]);
        for (int path = 0; path < stacks; path++) {
            next(path, 6);
        }
        for (String line : Files.readAllLines(Paths.get("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                System.out.println(line.replaceAll("[^0-9]", ""));
            }
        }
    }
}

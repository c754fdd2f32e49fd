/** One method uses nearly all the time, and the compiler cannot remove it. */
public class Hot {
    static int state = 1;

    static int hot(int n) {
        int x = state;
        for (int i = 0; i < n; i++) {
            x = x * 31 + (x >>> 7); // the hottest line
        }
        return x;
    }

    static int cool(int n) {
        return n + 1;
    }

    public static void main(String[] arguments) {
        long end = System.nanoTime() + 2000000000L;
        int rounds = 0;
        while (System.nanoTime() < end) {
            state = hot(100000) + cool(rounds++);
        }
        System.out.println("done");
    }
}

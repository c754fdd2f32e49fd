/** The program of agents/births.c: of each ten objects one lives on. */
public class Births {
    static class Marked {
    }

    static final int EACH = 20_000;
    static Marked[] kept = new Marked[2 * EACH];

    public static void main(String[] arguments) {
        make(0, EACH);
        Native.check("gc 0 " + EACH);
        Native.check("ask 0 " + EACH);
        make(EACH, 2 * EACH);
        Native.check("gc " + EACH + " " + 2 * EACH);
        Native.check("ask " + EACH + " " + 2 * EACH);
        System.out.println("done");
    }

    static void make(int from, int until) {
        for (int i = from; i < until; i++) {
            Marked made = new Marked();
            kept[i] = i % 10 == 0 ? made : null;
        }
    }
}

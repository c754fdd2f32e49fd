/** Holds so many small objects at once, lets them go, and says HELD N: {@code ManyHeld N}. */
public class ManyHeld {
    static final int A_PART = 1_000_000;

    static class Held {
        int number;
    }

    static Held[][] parts;

    public static void main(String[] words) throws Exception {
        int all = Integer.parseInt(words[0]);
        parts = new Held[(all + A_PART - 1) / A_PART][];
        int made = 0;
        for (int part = 0; part < parts.length; part++) {
            Held[] some = new Held[Math.min(A_PART, all - made)];
            parts[part] = some;
            for (int i = 0; i < some.length; i++) {
                some[i] = new Held();
                some[i].number = made++;
            }
        }
        System.gc();
        long sum = 0;
        for (Held[] some : parts) {
            for (Held held : some) {
                sum += held.number;
            }
        }
        System.out.println(sum == (long) made * (made - 1) / 2 ? "HELD " + made : "lost some");
        if (words.length > 1) {
            parts = null;
            System.gc();
            System.out.println("let go");
        }
    }
}

/** What the agent's calls go to. */
public class WovenCounter {
    private static final int[] counts = new int[32];

    public static void count(int number) {
        counts[number]++;
    }

    public static int of(int number) {
        return counts[number];
    }
}

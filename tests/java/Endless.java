/** Calls methods until it is killed, and says how many thousand rounds are over. */
public class Endless {
    static int leaf(int value) {
        return value * 31 + 7;
    }

    static int round(int value) {
        return leaf(value) + leaf(value + 1);
    }

    public static void main(String[] arguments) {
        int value = 0;
        for (int rounds = 1; ; rounds++) {
            value = round(value);
            if (rounds % 1000 == 0)
                System.out.println("rounds " + rounds + " (" + value + ")");
        }
    }
}

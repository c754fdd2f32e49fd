/** Many calls that cost next to nothing, beside one that works. */
public class HprofSmall {
    static int leaf(int i) {
        return i * 31;
    }

    static int calls() {
        int sum = 0;
        for (int i = 0; i < 1_000_000; i++) {
            sum += leaf(i);
        }
        return sum;
    }

    static double work() {
        double x = 1;
        for (int i = 0; i < 50_000_000; i++) {
            x = Math.sqrt(x + i);
        }
        return x;
    }

    public static void main(String[] words) {
        if (calls() + work() != 0) {
            System.out.println("done");
        }
    }
}

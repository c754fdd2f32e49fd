/** A stack of more than 600 frames that is busy for a second. */
public class Deep {
    static volatile long sink;

    static void down(int left) {
        if (left > 0) {
            down(left - 1);
            return;
        }
        long until = System.nanoTime() + 1_000_000_000L;
        while (System.nanoTime() < until)
            for (int i = 0; i < 100_000; i++)
                sink += i ^ sink;
    }

    public static void main(String[] arguments) {
        down(600);
        System.out.println("up again");
    }
}

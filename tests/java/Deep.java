/** A stack of more than 600 frames that is busy for a second, and as much longer as somebody needs to look at it. */
public class Deep {
    static volatile long sink;

    static void down(int left) {
        if (left > 0) {
            down(left - 1);
            return;
        }
        long begun = System.nanoTime();
        while (System.nanoTime() - begun < 1_000_000_000L || !Enough.isSeen(begun))
            for (int i = 0; i < 100_000; i++)
                sink += i ^ sink;
    }

    public static void main(String[] arguments) {
        down(600);
        System.out.println("up again");
    }
}

import java.io.File;

/** A stack of more than 600 frames that is busy for a second, and as much longer as somebody needs to look at it. */
public class Deep {
    static volatile long sink;

    static void down(int left) {
        if (left > 0) {
            down(left - 1);
            return;
        }
        long begun = System.nanoTime();
        while (!isEnough((System.nanoTime() - begun) / 1_000_000))
            for (int i = 0; i < 100_000; i++)
                sink += i ^ sink;
    }

    static boolean isEnough(long millis) {
        return millis > 1000 && (new File("enough").exists() || millis > 40_000);
    }

    public static void main(String[] arguments) {
        down(600);
        System.out.println("up again");
    }
}

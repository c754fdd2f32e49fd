/** Next to nothing, but for one collection. */
public class ShortBench {
    public static void main(String[] arguments) {
        System.gc();
    }
}

/** Prints an exception with a cause. */
public class Caused {
    public static void main(String[] arguments) {
        new Exception("outer", new Exception("inner")).printStackTrace(System.out);
    }
}

/** Goes on while threads of C's ask to be attached that have no room for Java code. */
public class ShortStacks {
    public static void main(String[] arguments) {
        Native.check("ask");
        System.gc();
        System.out.println("goes on");
    }
}

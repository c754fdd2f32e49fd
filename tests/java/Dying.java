/** An object that lives while a dump is made, and dies while it is read: the helper does it. */
public class Dying {
    final long number = 0x123456789abcdefL;

    public static void main(String[] arguments) {
        Native.check("");
        System.out.println("done");
    }
}

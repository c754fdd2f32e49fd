/** Makes so many objects. */
public class Allocates {
    static Object last;

    public static void main(String[] args) {
        for (int i = Integer.parseInt(args[0]); i > 0; i--)
            last = new Object();
        System.out.println("done");
    }
}

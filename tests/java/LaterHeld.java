/** A class is loaded while a dump is made, and gets an object when its heap has been walked: the helper does both. */
public class LaterHeld {
    static class Loaded {
        static Object walked = new Object[1];
        static Object later;
    }

    public static void main(String[] arguments) {
        // The class of these is told of when something names it, as a dump does.
        Object array = new LaterHeld[1];
        Native.check("");
        System.out.println(array == null ? "none" : "done");
    }
}

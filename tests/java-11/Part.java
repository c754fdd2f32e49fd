package woven;

/** What {@code Woven} puts into a module of its own. */
public class Part {
    public static void work() {
    }
}

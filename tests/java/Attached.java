/** Has the agent attach a thread of its own, and ends. */
public class Attached {
    public static void main(String[] words) {
        Native.check("attach");
        System.out.println("done");
    }
}

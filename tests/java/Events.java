/** Calls the agent once. */
public class Events {
    public static void main(String[] arguments) throws Exception {
        Native.check("");
        System.out.println("done");
    }
}

/** A virtual thread that waits in native code while the agent asks for it. */
public class VirtualPolls {
    static volatile Object sink;

    static void poll() {
        sink = new Object();
        Native.check("polls");
    }

    public static void main(String[] arguments) throws Exception {
        // By reflection: the compiler may be of a JDK before 21.
        Runnable body = VirtualPolls::poll;
        Thread thread = (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
        Native.check("ask");
        thread.join();
        Native.check("report");
        System.out.println("done");
    }
}

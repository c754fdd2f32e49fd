/** Has the agent set NotifyEvent late, and take it back. */
public class Listen {
    static void thread(String name) throws Exception {
        Thread thread = new Thread(name);
        thread.start();
        thread.join();
    }

    public static void main(String[] arguments) throws Exception {
        thread("unheard-1");
        Native.check("listen");
        thread("heard");
        Native.check("deaf");
        thread("unheard-2");
        System.out.println("done");
    }
}

/** The program of agents/long_handlers.c: its argument is the agent's option. */
public class LongHandlers {
    static volatile Object sink;

    static Thread start(String name, boolean daemon) {
        Thread thread = new Thread(() -> {}, name);
        thread.setDaemon(daemon);
        thread.start();
        return thread;
    }

    public static void main(String[] arguments) throws Exception {
        boolean ends = arguments[0].equals("end");
        Native.check("before");
        Thread slow = start("slow", ends);
        Thread another = arguments[0].equals("nested") ? start("another", false) : slow;
        Native.check("inside");
        if (arguments[0].equals("worker") || ends) {
            for (int i = 0; i < 1000; i++) {
                sink = new int[10];
            }
            System.gc();
        }
        if (!ends) {
            slow.join();
            another.join();
            Native.check("after");
        }
        System.out.println("done");
    }
}

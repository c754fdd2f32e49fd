/** Threads that end while the agent reads a dump that they are in; with an argument virtual ones. */
public class SlowDumps {
    static Thread start(boolean virtual) throws Exception {
        Runnable body = () -> Native.check("ends");
        if (virtual) {
            // By reflection: the compiler may be of a JDK before 21.
            return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
        }
        Thread thread = new Thread(body);
        thread.start();
        return thread;
    }

    public static void main(String[] arguments) throws Exception {
        Thread thread = start(arguments.length > 0);
        Native.check("dump");
        thread.join();
        Native.check("ended");
        System.out.println("done");
    }
}

/** Asks for environments from Java threads, at a later time. */
public class GetEnv {
    public static void main(String[] arguments) throws Exception {
        Native.check("main");
        Thread thread = new Thread("asker") {
            public void run() {
                Native.check("thread");
            }
        };
        thread.start();
        thread.join();
        Native.check("pthread");
        System.out.println("done");
    }
}

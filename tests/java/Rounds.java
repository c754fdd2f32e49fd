/** METHOD_EXIT is enabled for twenty calls, again and again, while threads of the agent switch
 *  another event. */
public class Rounds {
    static volatile int sink;

    static void call() {
        sink++;
    }

    public static void main(String[] arguments) throws Exception {
        long until = System.nanoTime() + 3_000_000_000L;
        for (int rounds = 0; rounds < 200 || System.nanoTime() < until; rounds++) {
            Native.check("on");
            for (int i = 0; i < 20; i++) {
                call();
            }
            Native.check("off");
        }
        System.out.println("done");
    }
}

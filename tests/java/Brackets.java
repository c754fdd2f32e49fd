/** The program of agents/brackets.c. */
public class Brackets {
    static volatile Object sink;

    static void churn(int number) {
        for (int i = 0; i < number; i++) {
            sink = new Object();
        }
    }

    public static void main(String[] arguments) throws Exception {
        churn(2000);
        Native.check("threads");
        System.gc();
        Native.check("ended");
        churn(2000);
        Native.check("disables");
        Native.check("switches");
        int[] held = new int[1337];
        Native.check("held");
        for (int i = 0; i < 1000; i++) {
            sink = held.clone();
        }
        sink = null;
        System.gc();
        Native.check("still");
        System.out.println("done " + held.length);
    }
}

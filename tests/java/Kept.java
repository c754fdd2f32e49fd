/** The program of agents/kept.c. */
public class Kept {
    static volatile int sink;

    static void method() { sink++; }

    public static void main(String[] arguments) {
        method();
        Native.check("");
        System.out.println("done");
    }
}

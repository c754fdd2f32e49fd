/** Holds very many objects while the agent asks for a dump of them; with an argument nobody asks yet. */
public class ManyObjects {
    static final Object[] ALL = new Object[3_000_000];

    public static void main(String[] arguments) {
        for (int i = 0; i < ALL.length; i++) {
            ALL[i] = new Object();
        }
        System.out.println("asking");
        if (arguments.length == 0) {
            Native.check("dump");
            System.err.print("prompt> ");
        }
    }
}

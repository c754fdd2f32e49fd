/** The agent hears of Late while one of its methods runs. */
public class LateNames {
    static class Late {
        static void work() {
            Native.check("inside");
        }
    }

    static class Holder extends Thread {
        Holder() { super("holder"); }
        public void run() {
            Native.check("hold");
            Late.work();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Holder holder = new Holder();
        holder.start();
        // Not earlier: the bracket must not keep it from getting there.
        Native.check("held");
        System.gc();
        Native.check("sample");
        holder.join();
        System.out.println("done");
    }
}

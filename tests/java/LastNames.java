/** Late is loaded while the VM ends, and one of its methods runs. */
public class LastNames {
    static class Late {
        static void work() {
            Native.check("inside");
        }
    }

    static class Holder extends Thread {
        Holder() {
            super("holder");
            setDaemon(true);
        }

        public void run() {
            Native.check("hold");
            Late.work();
        }
    }

    public static void main(String[] arguments) {
        new Holder().start();
        Native.check("held");
        System.out.println("done");
    }
}

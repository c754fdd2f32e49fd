import java.util.concurrent.locks.LockSupport;

/** Parks while the agent switches that on and off. */
public class Parks {
    static final class Blocker { }

    static void park(int times) {
        Blocker blocker = new Blocker();
        for (int i = 0; i < times; i++) {
            LockSupport.unpark(Thread.currentThread());
            LockSupport.park(blocker);
        }
    }

    public static void main(String[] arguments) throws Exception {
        park(1);
        Native.check("on");
        park(2);
        Native.check("off");
        park(4);
        Native.check("on");
        park(8);
        Native.check("report");
        System.out.println("done");
    }
}

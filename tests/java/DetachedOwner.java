/** The program of agents/detached_owner.c. */
public class DetachedOwner {
    static native void hold(Object lock);

    public static void main(String[] arguments) {
        Native.rest(0);
        Object lock = new Object();
        hold(lock);
        synchronized (lock) {
            Native.check("in");
        }
        System.out.println("done");
    }
}

import java.lang.reflect.Array;

/**
 * Has objects of every kind for the agent to look at, lets some of them and a
 * class of its own die, and keeps the heap busy while the agent holds
 * collections: see agents/fn_objects.c.
 */
public class Objects {
    static class Plain { int a; long b; Object c; }
    static class Element { }
    static class Dying { long a; }
    static class Trash { Object a; long b; }

    static Object plain;
    static Object array;
    static Object matrix;
    static Object numbers;
    static Object text;
    static Object lambda;
    static Object thread;
    static Object loader;
    static Object ended;

    static volatile Object sink;
    static volatile boolean stopped;
    static volatile long rounds;

    static void build() throws Exception {
        plain = new Plain();
        array = new Element[5];
        matrix = new Element[2][3];
        numbers = new int[9];
        text = new String(new char[] { 't', 'e', 'x', 't' });
        final Object captured = plain;
        lambda = (Runnable) () -> sink = captured;
        thread = Thread.currentThread();
        loader = Objects.class.getClassLoader();
        Thread short_ = new Thread("ended");
        short_.start();
        short_.join();
        ended = short_;
    }

    /** Nothing of it is reachable when it returns. */
    static void unload() throws Exception {
        Loads.Loader own = new Loads.Loader();
        Class<?> made = own.define("Unloaded", Loads.generate("Unloaded"));
        made.getMethods();
        sink = Array.newInstance(made, 2);
        Native.check("class is loaded");
        sink = null;
    }

    static void die(int number) {
        Object[] some = new Object[number];
        for (int i = 0; i < number; i++) {
            some[i] = new Dying();
        }
        sink = some;
        sink = null;
    }

    static void pressure() throws Exception {
        Thread[] threads = new Thread[2];
        for (int t = 0; t < threads.length; t++) {
            threads[t] = new Thread("pressure-" + t) {
                public void run() {
                    while (!stopped) {
                        for (int i = 0; i < 200; i++) {
                            Trash trash = new Trash();
                            sink = trash;
                            trash.a = new byte[2000];
                        }
                        rounds++;
                    }
                }
            };
            threads[t].start();
        }
        Native.check("hold");
        stopped = true;
        for (Thread thread : threads) {
            thread.join();
        }
    }

    public static void main(String[] arguments) throws Exception {
        build();
        Native.check("ids");
        Native.check("kinds");
        Native.check("nonsense");
        die(500);
        unload();
        Native.check("stale");
        pressure();
        Native.check("end");
        System.out.println("done");
    }
}

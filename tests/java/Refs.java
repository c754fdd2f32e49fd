import java.util.concurrent.CountDownLatch;

/**
 * Makes and deletes references, and allocates, by JNI, from several threads:
 * {@code Refs THREADS N}. The library of agents/refs.c is given with -Dagent. It
 * says GLOBAL ALLOC FREE, WEAK ALLOC FREE for what the natives did, and COUNT.
 */
public class Refs {
    static class ByNewObject { int field; ByNewObject() { } }
    static class ByAllocObject { int field; }
    static class ByNewObjectArray { }
    static class Target { }
    static class Unlinked { }

    static {
        System.load(System.getProperty("agent"));
    }

    /** Makes n global references to the object and deletes every second; how many are left. */
    static native int global(Object object, int n);

    static native int weak(Object object, int n);

    /** NewObject, AllocObject, NewObjectArray, NewIntArray, NewStringUTF, n times each. */
    static native void allocate(Class<?> byNew, Class<?> byAlloc, Class<?> element, int n);

    /** References to a class that is loaded, but not linked; one is kept. */
    static native void unlinked(Class<?> unlinked);

    /** The same class, linked: deletes it. */
    static native void linked(Class<?> linked);

    /** Deletes what is left of the calls of all threads. */
    static native void deleteAll();

    static native void report();

    static final Target TARGET = new Target();

    public static void main(String[] arguments) throws Exception {
        final int threads = Integer.parseInt(arguments[0]);
        final int number = Integer.parseInt(arguments[1]) / 2 * 2;
        final CountDownLatch go = new CountDownLatch(threads);
        Thread[] all = new Thread[threads];
        for (int t = 0; t < threads; t++) {
            all[t] = new Thread("refs-" + t) {
                public void run() {
                    try {
                        go.countDown();
                        go.await();
                    } catch (InterruptedException e) {
                        return;
                    }
                    Target own = new Target();
                    int left = global(TARGET, number) + global(own, number);
                    left += weak(TARGET, number) + weak(own, number);
                    if (left != 2 * number) {
                        System.out.println("left " + left);
                    }
                    allocate(ByNewObject.class, ByAllocObject.class, ByNewObjectArray.class, number);
                }
            };
            all[t].start();
        }
        for (Thread thread : all) {
            thread.join();
        }
        unlinked(Unlinked.class);
        new Unlinked();
        linked(Unlinked.class);
        // Weak ones to objects that are gone are to be deleted like others.
        System.gc();
        deleteAll();
        report();
        long made = 2L * number * threads;
        System.out.println("GLOBAL " + made + " " + made);
        System.out.println("WEAK " + made + " " + made);
        System.out.println("COUNT Refs$ByAllocObject " + (long) number * threads);
        System.out.println("COUNT Refs$ByNewObject " + (long) number * threads);
        System.out.println("COUNT Refs$ByNewObjectArray[] " + (long) number * threads);
        System.out.println("COUNT Refs$Target " + (threads + 1));
        System.out.println("done");
    }
}

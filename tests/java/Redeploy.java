import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Paths;

/**
 * A server that deploys the same application again and again: {@code Redeploy N}. Each time a
 * new loader defines a class with natives, a thread and a lock of its own; then all is thrown
 * away. Says how many natives were called, and by how many KB the process has grown since
 * half of that.
 */
public class Redeploy {
    static final int NATIVES = 5;

    /** The application. */
    public static class Deployed extends Thread {
        static final Object LOCK = new Object();

        public Object lock() {
            return LOCK;
        }

        @Override
        public void run() {
            int sum = native0() + native1() + native2() + native3() + native4();
            synchronized (LOCK) {
                called += sum;
                trace();
            }
        }

        static native int native0();

        static native int native1();

        static native int native2();

        static native int native3();

        static native int native4();
    }

    /** Of the parent, and so the same for all. */
    public static volatile int called;

    static class Loader extends ClassLoader {
        Loader() {
            super(Redeploy.class.getClassLoader());
        }

        Class<?> define(byte[] bytes) {
            return defineClass(null, bytes, 0, bytes.length);
        }
    }

    /** Gives the class its natives, each of which returns 1. */
    static native void register(Class<?> deployed);

    /** Asks for the stack, if the agent does that. */
    public static native void trace();

    static byte[] application() throws Exception {
        InputStream in = Redeploy.class.getResourceAsStream("Redeploy$Deployed.class");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] part = new byte[4096];
        for (int length; (length = in.read(part)) > 0;) {
            bytes.write(part, 0, length);
        }
        in.close();
        return bytes.toByteArray();
    }

    static void deploy(byte[] application) throws Exception {
        Class<?> made = new Loader().define(application);
        register(made);
        Thread thread = (Thread) made.getConstructor().newInstance();
        Object lock = made.getMethod("lock").invoke(thread);
        synchronized (lock) {
            thread.start();
            while (thread.getState() != Thread.State.BLOCKED) {
                Thread.yield();
            }
        }
        thread.join();
    }

    static long kilobytes() throws Exception {
        for (String line : Files.readAllLines(Paths.get("/proc/self/status"))) {
            if (line.startsWith("RssAnon:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        throw new IllegalStateException("no RssAnon");
    }

    public static void main(String[] arguments) throws Exception {
        System.load(System.getProperty("agent"));
        int wanted = Integer.parseInt(arguments[0]);
        byte[] application = application();
        long before = 0;
        for (int i = 0; i < wanted; i++) {
            if (i % 100 == 0) {
                System.gc();
                // The agent's side of it.
                Thread.sleep(20);
            }
            if (i == wanted / 2) {
                before = kilobytes();
            }
            deploy(application);
        }
        System.gc();
        System.out.println("CALLED " + called + " GROWN " + (kilobytes() - before));
    }
}

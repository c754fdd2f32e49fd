import java.io.ByteArrayOutputStream;
import java.io.InputStream;

/** Loads two classes in a loader of their own, drops them, and loads them again: see agents/unloading.c. */
public class Unloading {
    static volatile Object sink;

    public static class Unloaded implements Runnable {
        int value;

        public static int method(int n) { return n + 1; }

        public void run() {
            value = method(value);
            look();
        }
    }

    public static class Another implements Runnable {
        public static int method(int n) { return n + 2; }

        public void run() {
            method(1);
            look();
        }
    }

    static class Loader extends ClassLoader {
        Class<?> define(byte[] bytes) {
            return defineClass(null, bytes, 0, bytes.length);
        }
    }

    static void method() { }

    /** The agent looks at the stack. */
    public static void look() { Native.check("again"); }

    static byte[] classFile(String name) throws Exception {
        InputStream in = Unloading.class.getResourceAsStream(name);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] part = new byte[4096];
        for (int length; (length = in.read(part)) > 0;) {
            bytes.write(part, 0, length);
        }
        in.close();
        return bytes.toByteArray();
    }

    static Runnable[] make(byte[] unloaded, byte[] another) throws Exception {
        Loader loader = new Loader();
        return new Runnable[] {
            (Runnable) loader.define(unloaded).getConstructor().newInstance(),
            (Runnable) loader.define(another).getConstructor().newInstance(),
        };
    }

    static void once(byte[] unloaded, byte[] another) throws Exception {
        sink = make(unloaded, another);
        Native.check("loaded");
        sink = null;
    }

    public static void main(String[] arguments) throws Exception {
        byte[] unloaded = classFile("Unloading$Unloaded.class");
        byte[] another = classFile("Unloading$Another.class");
        once(unloaded, another);
        Native.check("dropped");
        for (int i = 0; i < 3; i++) {
            for (Runnable each : make(unloaded, another)) {
                each.run();
            }
        }
        for (int i = 0; i < 1000; i++) {
            sink = new Object();
        }
        Native.check("end");
        System.out.println("done");
    }
}

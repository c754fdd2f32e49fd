import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;

/**
 * Defines N classes in loaders that are thrown away, makes an object and an
 * array of each, and says LOADED N: {@code UnloadStorm N}. Of many it says UNDER WAY in between. With {@code unlinked} behind it
 * they are only defined.
 */
public class UnloadStorm {
    /** Each class is this one under another name of the same length. */
    public static class Template {
        static Template own;
        int value;
        String text = "storm";
        final Object[] others = new Object[2];

        public Template() {
            own = this;
            others[0] = this;
        }

        public int method(int argument) {
            return value + argument;
        }
    }

    static final int CLASSES_A_LOADER = 5;
    static volatile Object sink;

    static class Loader extends ClassLoader {
        Loader() {
            super(UnloadStorm.class.getClassLoader());
        }

        Class<?> define(byte[] bytes) {
            return defineClass(null, bytes, 0, bytes.length);
        }
    }

    static byte[] template() throws Exception {
        InputStream in = UnloadStorm.class.getResourceAsStream("UnloadStorm$Template.class");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] part = new byte[4096];
        for (int length; (length = in.read(part)) > 0;) {
            bytes.write(part, 0, length);
        }
        in.close();
        return bytes.toByteArray();
    }

    /** The class file with one name in place of the other, wherever it stands. */
    static byte[] renamed(byte[] template, String from, String to) {
        byte[] bytes = template.clone();
        int length = from.length();
        for (int at = 0; at + length <= bytes.length; at++) {
            int same = 0;
            while (same < length && bytes[at + same] == from.charAt(same)) {
                same++;
            }
            if (same == length) {
                for (int i = 0; i < length; i++) {
                    bytes[at + i] = (byte) to.charAt(i);
                }
            }
        }
        return bytes;
    }

    /** Defines some classes; nothing of them is reachable when it returns. */
    static int batch(byte[] template, int first, int number, boolean linked) throws Exception {
        Loader loader = new Loader();
        for (int i = first; i < first + number; i++) {
            String name = String.format("UnloadStorm$T%07d", i);
            Class<?> made = loader.define(renamed(template, "UnloadStorm$Template", name));
            if (!linked) {
                continue;
            }
            Constructor<?> constructor = made.getConstructor();
            Object object = constructor.newInstance();
            Object array = Array.newInstance(made, 3);
            Array.set(array, 0, object);
            sink = array;
            if (object.getClass() != made || !made.getName().equals(name)) {
                throw new IllegalStateException(name);
            }
        }
        sink = null;
        return number;
    }

    public static void main(String[] arguments) throws Exception {
        int wanted = Integer.parseInt(arguments[0]);
        boolean linked = arguments.length < 2;
        byte[] template = template();
        int loaded = 0;
        while (loaded < wanted) {
            int number = Math.min(CLASSES_A_LOADER, wanted - loaded);
            loaded += batch(template, loaded, number, linked);
            if (loaded % 500 < CLASSES_A_LOADER) {
                System.gc();
            }
            if (loaded == 1000 && wanted > 10000) {
                System.out.println("UNDER WAY");
            }
        }
        // Some collectors look at classes in every fifth cycle only.
        for (int i = 0; i < 6; i++) {
            System.gc();
            Thread.sleep(20);
        }
        System.out.println("LOADED " + loaded);
    }
}

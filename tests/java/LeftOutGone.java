import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.concurrent.Callable;

/**
 * {@code LeftOutGone LOG}: a class of a loader of its own calls a small method until the log says that this one has no
 * events any more; then both are thrown away, and the VM unloads them.
 */
public class LeftOutGone {
    public static class Hot implements Callable<Integer> {
        @Override
        public Integer call() {
            int sum = 0;
            for (int i = 0; i < 100_000; i++) {
                sum += small(i);
            }
            return sum;
        }

        static int small(int number) {
            return number & 1;
        }
    }

    static class Loader extends ClassLoader {
        Class<?> define(byte[] bytes) {
            return defineClass(null, bytes, 0, bytes.length);
        }
    }

    static byte[] hot() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (InputStream in = LeftOutGone.class.getResourceAsStream("LeftOutGone$Hot.class")) {
            byte[] part = new byte[4096];
            for (int length; (length = in.read(part)) > 0;) {
                bytes.write(part, 0, length);
            }
        }
        return bytes.toByteArray();
    }

    static WeakReference<Class<?>> callUntilLeftOut(Path log) throws Exception {
        Class<?> made = new Loader().define(hot());
        Callable<?> call = (Callable<?>) made.getConstructor().newInstance();
        while (!new String(Files.readAllBytes(log)).contains("LeftOutGone$Hot.small")) {
            call.call();
        }
        return new WeakReference<>(made);
    }

    public static void main(String[] arguments) throws Exception {
        WeakReference<Class<?>> made = callUntilLeftOut(Paths.get(arguments[0]));
        while (made.get() != null) {
            System.gc();
        }
        System.out.println("gone");
    }
}

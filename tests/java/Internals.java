import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/** A little of all that agents are told of, with the same words at the end each time. */
public class Internals {
    static final Object LOCK = new Object();
    static final List<byte[]> KEPT = new ArrayList<>();
    static int entries;
    static volatile boolean done;

    /** Defines `Inside` itself; or, as a parallel-capable loader, the second does. */
    static class Loader extends ClassLoader {
        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals("Internals$Inside")) {
                return super.loadClass(name, resolve);
            }
            try (InputStream in = Internals.class.getResourceAsStream("Internals$Inside.class")) {
                byte[] bytes = new byte[1 << 16];
                int length = 0;
                for (int read; (read = in.read(bytes, length, bytes.length - length)) > 0; ) {
                    length += read;
                }
                return defineClass(name, bytes, 0, length);
            } catch (java.io.IOException error) {
                throw new ClassNotFoundException(name, error);
            }
        }
    }

    static class Parallel extends Loader {
        static {
            registerAsParallelCapable();
        }
    }

    /** Of the two loaders; its class has hooks of its own loader's. */
    public static class Inside {
        public static int depth(int more) {
            if (more > 0) {
                return depth(more - 1);
            }
            int frames = 0;
            for (StackTraceElement frame : new Throwable().getStackTrace()) {
                frames += frame.getClassName().contains("Inside") ? 1 : 0;
            }
            return frames;
        }
    }

    static void nested() {
        synchronized (LOCK) {
            synchronized (LOCK) {
                entries++;
            }
        }
    }

    static int thrown() {
        try {
            Integer.parseInt("no number");
            return 0;
        } catch (NumberFormatException error) {
            return 1;
        }
    }

    static int refused() throws Exception {
        try {
            LOCK.wait(1);
            return 0;
        } catch (IllegalMonitorStateException error) {
            return 1;
        }
    }

    static long busy() {
        long sum = 0;
        while (!done) {
            for (int i = 0; i < 1000; i++) {
                sum += i;
            }
        }
        return sum;
    }

    static int inside(ClassLoader loader) throws Exception {
        Method depth = loader.loadClass("Internals$Inside").getMethod("depth", int.class);
        return (Integer) depth.invoke(null, 3);
    }

    public static void main(String[] arguments) throws Exception {
        Thread busy = new Thread(Internals::busy, "busy");
        busy.start();
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread("worker " + i) {
                @Override
                public void run() {
                    for (int i = 0; i < 20; i++) {
                        nested();
                    }
                }
            };
        }
        synchronized (LOCK) {
            for (Thread thread : threads) {
                thread.start();
                while (thread.getState() != Thread.State.BLOCKED) {
                    Thread.sleep(1);
                }
            }
            nested();
            LOCK.wait(5);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        for (int i = 0; i < 500; i++) {
            KEPT.add(new byte[1000]);
        }
        KEPT.subList(0, 400).clear();
        System.gc();
        int errors = thrown() + refused();
        int frames = inside(new Loader()) + inside(new Parallel());
        Thread.sleep(arguments.length > 0 ? Integer.parseInt(arguments[0]) : 100);
        done = true;
        busy.join();
        System.out.println(entries + " entries, " + errors + " errors, " + frames + " frames");
    }
}

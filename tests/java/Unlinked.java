import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.lang.reflect.Array;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Classes that are loaded and not linked. To verify {@link Apart} the VM asks its loader for two
 * classes more, and the loader says what it is asked, and by whom's doing: the last line before.
 */
public class Unlinked {
    static class Above { }

    static class Below extends Above { }

    /** Not linked until it is said to be. */
    public static class Apart implements Runnable {
        static {
            System.out.println("initialised");
        }

        Above above() {
            Below below = new Below();
            return below;
        }

        public void run() {
            System.out.println("ran " + (above() instanceof Below));
        }

        public static synchronized void locked() { }
    }

    /** The same, for the end. */
    public static class Alone extends Apart { }

    /** Not parallel-capable: the VM and loadClass take its lock. */
    static class Loader extends ClassLoader {
        final Object wanted;
        final CountDownLatch inside = new CountDownLatch(1);

        Loader(Object wanted) {
            super(Unlinked.class.getClassLoader());
            this.wanted = wanted;
        }

        @Override
        protected synchronized Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals("Busy")) {
                inside.countDown();
                synchronized (wanted) {
                    throw new ClassNotFoundException(name);
                }
            }
            System.out.println("asked for " + name);
            Class<?> known = findLoadedClass(name);
            if (known != null || !name.startsWith("Unlinked$")) {
                return known != null ? known : super.loadClass(name, resolve);
            }
            try {
                byte[] bytes = bytes(name);
                return defineClass(name, bytes, 0, bytes.length);
            } catch (java.io.IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    static void say(String what) {
        System.out.println(what);
    }

    /** Somebody waits for the monitor of the class while another has it. */
    static void contend(Object monitor) throws Exception {
        Thread other = new Thread("contender") {
            public void run() {
                synchronized (monitor) {
                    say("contended");
                }
            }
        };
        synchronized (monitor) {
            other.start();
            while (other.getState() != Thread.State.BLOCKED) {
                Thread.sleep(1);
            }
            monitor.wait(2);
            while (other.getState() != Thread.State.BLOCKED && other.isAlive()) {
                Thread.sleep(1);
            }
        }
        other.join();
    }

    /** What the agent does on request, if there is one. */
    static void check(String what) throws Exception {
        if (System.getProperty("agent") != null) {
            Native.check(what);
        }
    }

    static Object kept;
    /** What the agent is to look at. */
    static Class<?> named;

    static void everything(boolean waits) throws Exception {
        Loader loader = new Loader(new Object());
        Class<?> apart = loader.loadClass("Unlinked$Apart");
        named = apart;
        say("arrays");
        check("arrays");
        Object[] arrays = { Array.newInstance(apart, 3), Array.newInstance(apart, 2, 2), Array.newInstance(apart, 3) };
        kept = arrays;
        check("no more arrays");
        say("receivers");
        say(apart.getName() + " " + apart.isInterface() + " " + apart.desiredAssertionStatus());
        say("monitors");
        contend(apart);
        for (String what : new String[] { "name it", "refer to it", "request it", "enable all", "dumps" }) {
            say(what);
            check(what + " " + apart.getName());
        }
        if (waits) {
            say("waits");
            while (!new java.io.File("end").exists()) {
                Thread.sleep(2);
            }
        }
        say("links");
        ((Runnable) apart.getDeclaredConstructor().newInstance()).run();
        check("linked " + apart.getName());
        say("loads another");
        loader.loadClass("Unlinked$Alone").getDeclaredConstructor().newInstance();
        check("end " + arrays.length);
        say("done");
    }

    public static class Copy implements Runnable {
        static int runs;

        public void run() {
            runs++;
        }
    }

    /** Of many classes, not linked yet, methods are wanted while threads link them. */
    static void many() throws Exception {
        final int count = 600;
        final Class<?>[] copies = new Class<?>[count];
        for (int i = 0; i < count; i++) {
            copies[i] = new Quiet().copy();
        }
        AtomicInteger next = new AtomicInteger(), since = new AtomicInteger();
        CountDownLatch some = new CountDownLatch(100), rest = new CountDownLatch(1);
        AtomicBoolean wanted = new AtomicBoolean();
        Thread[] threads = new Thread[4];
        for (int t = 0; t < threads.length; t++) {
            threads[t] = new Thread("linker-" + t) {
                public void run() {
                    try {
                        for (int at = next.getAndIncrement(); at < count; at = next.getAndIncrement()) {
                            if (at == count - 100) {
                                rest.await();
                            }
                            int one = wanted.get() ? 1 : 0;
                            ((Runnable) copies[at].getDeclaredConstructor().newInstance()).run();
                            since.addAndGet(one);
                            some.countDown();
                        }
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                }
            };
            threads[t].start();
        }
        some.await();
        check("enable methods");
        wanted.set(true);
        rest.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        check("copies " + since.get());
        say("done " + (since.get() > 0));
    }

    /** Defines the one class. */
    static class Quiet extends ClassLoader {
        static {
            registerAsParallelCapable();
        }

        Class<?> copy() throws Exception {
            byte[] bytes = bytes("Unlinked$Copy");
            return defineClass("Unlinked$Copy", bytes, 0, bytes.length);
        }
    }

    static byte[] bytes(String name) throws java.io.IOException {
        try (InputStream in = Unlinked.class.getResourceAsStream("/" + name + ".class")) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            for (int next = in.read(); next >= 0; next = in.read()) {
                bytes.write(next);
            }
            return bytes.toByteArray();
        }
    }

    /** A thread is in the loader and wants what we have, while we make an array of a class of its. */
    static void hang() throws Exception {
        Object monitor = new Object();
        Loader loader = new Loader(monitor);
        Class<?> apart = loader.loadClass("Unlinked$Apart");
        Thread busy = new Thread("busy") {
            public void run() {
                try {
                    loader.loadClass("Busy");
                } catch (ClassNotFoundException e) {
                    say("not found");
                }
            }
        };
        synchronized (monitor) {
            busy.start();
            loader.inside.await();
            check("arrays");
            say("made " + Array.getLength(Array.newInstance(apart, 3)));
            apart.getName();
            check("enable all " + apart.getName());
            check("dumps " + apart.getName());
        }
        busy.join();
        ((Runnable) apart.getDeclaredConstructor().newInstance()).run();
        say("done");
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0 && arguments[0].equals("hang")) {
            hang();
        } else if (arguments.length > 0 && arguments[0].equals("many")) {
            many();
        } else {
            everything(arguments.length > 0);
        }
    }
}

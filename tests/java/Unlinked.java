import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.lang.reflect.Array;
import java.util.concurrent.CountDownLatch;

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
            try (InputStream in = getParent().getResourceAsStream(name + ".class")) {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                for (int next = in.read(); next >= 0; next = in.read()) {
                    bytes.write(next);
                }
                return defineClass(name, bytes.toByteArray(), 0, bytes.size());
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

    static void everything() throws Exception {
        Loader loader = new Loader(new Object());
        Class<?> apart = loader.loadClass("Unlinked$Apart");
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
        if (System.getProperty("wait") != null) {
            say("waits");
            System.in.read();
        }
        say("links");
        ((Runnable) apart.getDeclaredConstructor().newInstance()).run();
        check("linked " + apart.getName());
        say("loads another");
        loader.loadClass("Unlinked$Alone").getDeclaredConstructor().newInstance();
        check("end " + arrays.length);
        say("done");
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
        } else {
            everything();
        }
    }
}

import java.io.IOException;
import java.lang.module.Configuration;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;

/** Class loaders that say what they were asked, by whom ever: the VM, programs, profilers. */
public class Zoo {
    /** The folder of the classes in package zoo. */
    static Path classes;

    /** Defines the classes of package zoo itself. */
    abstract static class Noting extends ClassLoader {
        final List<String> asked = Collections.synchronizedList(new ArrayList<>());

        Noting() {
            super(null);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            asked.add(name);
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                if (loaded != null)
                    return loaded;
                return name.startsWith("zoo.") ? define(name) : others(name);
            }
        }

        Class<?> define(String name) throws ClassNotFoundException {
            try {
                byte[] bytes = Files.readAllBytes(classes.resolve(name.replace('.', '/') + ".class"));
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException missing) {
                throw new ClassNotFoundException(name, missing);
            }
        }

        Class<?> others(String name) throws ClassNotFoundException {
            return super.loadClass(name, false);
        }

        void report(String name) {
            System.out.println(name + " was asked " + asked);
        }
    }

    /** Not parallel-capable: the VM holds its lock while it asks. Delegates all it does not have. */
    static class Locked extends Noting {
        @Override
        protected synchronized Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            return super.loadClass(name, resolve);
        }
    }

    /** Has a list of what there is outside. */
    static class Strict extends Noting {
        static final Set<String> WHITE = Set.of("java.lang.Object", "java.lang.String", "java.lang.Integer",
                "java.lang.Exception", "java.lang.IllegalStateException", "java.lang.Throwable",
                "java.util.concurrent.Callable");

        @Override
        Class<?> others(String name) throws ClassNotFoundException {
            if (!WHITE.contains(name))
                throw new ClassNotFoundException(name + " is not on the list");
            return super.others(name);
        }
    }

    /** What is not called java. is its own affair. */
    static class OnlyJava extends Noting {
        @Override
        Class<?> others(String name) throws ClassNotFoundException {
            if (!name.startsWith("java."))
                throw new ClassNotFoundException(name + " is not java.*");
            return super.others(name);
        }
    }

    /** Several threads load with it at once. */
    static class Parallel extends Noting {
        static {
            registerAsParallelCapable();
        }
    }

    static String call(ClassLoader loader, String name) throws Exception {
        return call(loader.loadClass(name));
    }

    static String call(Class<?> type) throws Exception {
        try {
            Object animal = type.getConstructor().newInstance();
            return animal instanceof Callable ? (String) ((Callable<?>) animal).call() : animal.toString();
        } catch (LinkageError | ReflectiveOperationException failed) {
            Throwable why = failed.getCause() != null ? failed.getCause() : failed;
            return type.getName() + " failed: " + why;
        }
    }

    public static void main(String[] words) throws Exception {
        classes = Paths.get(words[0]);
        one("locked", new Locked());
        strict();
        one("only java", new OnlyJava());
        layer();
        threads();
        bag();
        arrays();
    }

    static void one(String name, Noting loader) throws Exception {
        System.out.println(call(loader, "zoo.Cat"));
        System.out.println(call(loader, "zoo.Mouse"));
        loader.report(name);
    }

    /** It has no class that code of today needs for lambdas and the like. */
    static void strict() throws Exception {
        Strict loader = new Strict();
        System.out.println(call(loader, "zoo.Mouse"));
        System.out.println(call(loader, "zoo.Bird"));
        loader.report("strict");
    }

    /** Its classes lie in a named module, which reads java.base alone. */
    static void layer() throws Exception {
        OnlyJava loader = new OnlyJava();
        ModuleDescriptor descriptor = ModuleDescriptor.newModule("zoo").exports("zoo").build();
        ModuleFinder finder = Woven.finder(classes, descriptor);
        Configuration boot = ModuleLayer.boot().configuration();
        Configuration own = boot.resolve(finder, ModuleFinder.of(), Set.of("zoo"));
        ModuleLayer layer = ModuleLayer.boot().defineModules(own, name -> loader);
        System.out.println(call(layer.findLoader("zoo"), "zoo.Cat"));
        Module module = loader.loadClass("zoo.Mouse").getModule();
        System.out.println(call(loader, "zoo.Mouse") + " in " + module + ", reads "
                + module.canRead(loader.getUnnamedModule()));
        loader.report("layer");
    }

    /** Which thread asks for a common superclass, or both, nobody knows. */
    static void threads() throws Exception {
        String[] names = { "zoo.Cat", "zoo.Mouse", "zoo.Bird", "zoo.Fish" };
        Parallel loader = new Parallel();
        String[] said = new String[names.length];
        CyclicBarrier start = new CyclicBarrier(names.length);
        Thread[] threads = new Thread[names.length];
        for (int i = 0; i < names.length; i++) {
            int number = i;
            threads[i] = new Thread(() -> {
                try {
                    start.await();
                    said[number] = call(loader, names[number]);
                } catch (Exception failed) {
                    said[number] = failed.toString();
                }
            });
            threads[i].start();
        }
        for (int i = 0; i < names.length; i++) {
            threads[i].join();
            System.out.println(said[i]);
        }
        System.out.println("parallel was asked " + new TreeSet<>(loader.asked));
    }

    /** Its first class does not extend java.lang.Object. */
    static void bag() throws Exception {
        Locked loader = new Locked();
        System.out.println(call(loader, "zoo.Bag"));
        loader.report("bag");
    }

    /** An array of a class that is loaded and not linked. */
    static void arrays() throws Exception {
        Locked loader = new Locked();
        Class<?> unlinked = loader.loadClass("zoo.Shop");
        Object[] array = (Object[]) java.lang.reflect.Array.newInstance(unlinked, 3);
        System.out.println(array.length + " shops");
        loader.report("arrays");
    }
}

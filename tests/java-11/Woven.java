import java.lang.module.Configuration;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.stream.Stream;

/** Calls methods into which an agent has put calls of its counter (tests/agents/woven.c). */
public class Woven {
    static int number;

    /** What the counter has counted of the agent's next method while the work was done. */
    static void counted(String what, Class<?> counter, Work work) throws Exception {
        try {
            Method of = counter.getMethod("of", int.class);
            int before = (Integer) of.invoke(null, number);
            work.run();
            System.out.println(what + " " + ((Integer) of.invoke(null, number) - before));
        } catch (LinkageError error) {
            System.out.println(what + " " + error);
        }
        number++;
    }

    interface Work {
        void run() throws Exception;
    }

    public static void main(String[] words) throws Exception {
        if (words[0].equals("layer"))
            layer(Paths.get(words[1]), words[2]);
        else
            jdk(Class.forName(words[0]));
    }

    static void jdk(Class<?> counter) throws Exception {
        counted("java.base, loaded before", counter, () -> {
            for (int i = 0; i < 3; i++)
                System.lineSeparator();
        });
        counted("java.base", counter, () -> {
            for (int i = 0; i < 4; i++)
                new StringJoiner(",").setEmptyValue("");
        });
        counted("java.sql", counter, () -> {
            java.sql.Timestamp time = new java.sql.Timestamp(0);
            for (int i = 0; i < 5; i++)
                time.getNanos();
        });
        counted("java.logging", counter, () -> {
            java.util.logging.LogRecord record = new java.util.logging.LogRecord(java.util.logging.Level.INFO, "");
            for (int i = 0; i < 6; i++)
                record.getMessage();
        });
        counted("the program", counter, () -> {
            for (int i = 0; i < 7; i++)
                work();
        });
    }

    static void work() {
    }

    /** A module in a layer, whose loader's parent has the counter. */
    static void layer(Path classes, String counterName) throws Exception {
        URLClassLoader parent = new URLClassLoader(new URL[] { Paths.get("counter").toUri().toURL() }, null);
        ModuleDescriptor descriptor = ModuleDescriptor.newModule("woven").exports("woven").build();
        ModuleFinder finder = finder(classes, descriptor);
        Configuration boot = ModuleLayer.boot().configuration();
        Configuration own = boot.resolve(finder, ModuleFinder.of(), Set.of("woven"));
        ModuleLayer layer = ModuleLayer.boot().defineModulesWithOneLoader(own, parent);
        Method work = layer.findLoader("woven").loadClass("woven.Part").getMethod("work");
        counted("a module of the program", parent.loadClass(counterName), () -> {
            try {
                for (int i = 0; i < 8; i++)
                    work.invoke(null);
            } catch (java.lang.reflect.InvocationTargetException failed) {
                if (failed.getCause() instanceof Error)
                    throw (Error) failed.getCause();
                throw failed;
            }
        });
    }

    /** Finds one module, whose classes lie in this folder. */
    static ModuleFinder finder(Path classes, ModuleDescriptor descriptor) {
        return new ModuleFinder() {
            public Optional<ModuleReference> find(String name) {
                return name.equals(descriptor.name()) ? Optional.of(of(classes, descriptor)) : Optional.empty();
            }

            public Set<ModuleReference> findAll() {
                return Set.of(of(classes, descriptor));
            }
        };
    }

    static ModuleReference of(Path classes, ModuleDescriptor descriptor) {
        return new ModuleReference(descriptor, classes.toUri()) {
            public ModuleReader open() {
                return new ModuleReader() {
                    public Optional<URI> find(String name) {
                        Path path = classes.resolve(name);
                        return Files.exists(path) ? Optional.of(path.toUri()) : Optional.empty();
                    }

                    public Stream<String> list() {
                        return Stream.empty();
                    }

                    public void close() {
                    }
                };
            }
        };
    }
}

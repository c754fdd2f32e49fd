import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Some thousand classes are loaded, and a thread works, when the agent enables method events. */
public class Late {
    static final int CLASSES = 3000;
    static final CountDownLatch WORKS = new CountDownLatch(1);
    static volatile int sink;

    static void tick() {
        sink++;
    }

    static void work() {
        WORKS.countDown();
        while (true) {
            tick();
            try {
                Thread.sleep(1);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        Path base = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules/java.base");
        List<String> names;
        try (Stream<Path> files = Files.walk(base)) {
            names = files.map(file -> base.relativize(file).toString()).filter(name -> name.endsWith(".class"))
                .map(name -> name.substring(0, name.length() - 6).replace('/', '.')).sorted()
                .collect(Collectors.toList());
        }
        int loaded = 0;
        for (String name : names) {
            if (loaded == CLASSES) {
                break;
            }
            try {
                // Linked, and not initialised.
                Class.forName(name, false, null).getDeclaredMethods();
                loaded++;
            } catch (ClassNotFoundException | LinkageError e) {
                // module-info, and what needs another module.
            }
        }
        Thread worker = new Thread(Late::work);
        worker.setDaemon(true);
        worker.start();
        WORKS.await();
        Native.check("enable");
        System.out.println("LOADED " + loaded);
    }
}

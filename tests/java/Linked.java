import java.io.BufferedReader;
import java.io.FileReader;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * {@code Linked list STEP MODULE...} lists every STEPth class of some modules, as far as this
 * JDK has them; {@code Linked FILE} links those that the file lists, and says LINKED N and what
 * the VM rejects.
 */
public class Linked {
    static void list(int step, String module) throws Exception {
        Path root = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules", module);
        if (!Files.exists(root)) {
            return;
        }
        List<String> names;
        try (Stream<Path> files = Files.walk(root)) {
            names = files.map(file -> root.relativize(file).toString())
                .filter(name -> name.endsWith(".class") && !name.equals("module-info.class"))
                .map(name -> name.substring(0, name.length() - 6).replace('/', '.')).sorted()
                .collect(Collectors.toList());
        }
        for (int at = 0; at < names.size(); at += step) {
            System.out.println(names.get(at));
        }
    }

    static void link(BufferedReader names) throws Exception {
        int linked = 0;
        for (String name; (name = names.readLine()) != null;) {
            try {
                // The VM links a class, that is verifies it, before it tells of its methods.
                Class.forName(name, false, ClassLoader.getSystemClassLoader()).getDeclaredMethods();
                linked++;
            } catch (VerifyError | ClassFormatError | IncompatibleClassChangeError e) {
                System.out.println("REJECTED " + name + ": " + e);
            } catch (ClassNotFoundException | LinkageError e) {
                // It needs what is not there, with and without hooks.
            }
        }
        System.out.println("LINKED " + linked);
    }

    public static void main(String[] arguments) throws Exception {
        if (!arguments[0].equals("list")) {
            link(new BufferedReader(new FileReader(arguments[0])));
            return;
        }
        for (int i = 2; i < arguments.length; i++) {
            list(Integer.parseInt(arguments[1]), arguments[i]);
        }
    }
}

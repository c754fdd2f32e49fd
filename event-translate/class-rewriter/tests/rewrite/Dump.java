import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Writes the class files of all modules of the running JDK to FOLDER/MODULE; with a second folder those alone
 * that are not the same there.
 */
public class Dump {
    public static void main(String[] args) throws IOException {
        Path modules = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules");
        List<Path> files;
        try (Stream<Path> walk = Files.walk(modules)) {
            files = walk.filter(file -> file.toString().endsWith(".class")).collect(Collectors.toList());
        }
        Set<String> written = new TreeSet<>();
        int count = 0;
        for (Path file : files) {
            String path = modules.relativize(file).toString();
            byte[] bytes = Files.readAllBytes(file);
            if (args.length > 1 && Arrays.equals(bytes, Files.readAllBytes(Path.of(args[1], path)))) {
                continue;
            }
            Path to = Path.of(args[0], path);
            Files.createDirectories(to.getParent());
            Files.write(to, bytes);
            written.add(path.substring(0, path.indexOf('/')));
            count++;
        }
        System.out.println(count + " classes of " + written.size() + " modules");
    }
}

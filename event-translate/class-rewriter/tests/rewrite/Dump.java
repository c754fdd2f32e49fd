import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Writes the class files of modules of the running JDK to FOLDER/MODULE. */
public class Dump {
    public static void main(String[] args) throws IOException {
        var image = FileSystems.getFileSystem(URI.create("jrt:/"));
        for (String module : List.of(args).subList(1, args.length)) {
            Path from = image.getPath("modules", module);
            if (!Files.exists(from)) {
                System.out.println("no module " + module);
                continue;
            }
            List<Path> files;
            try (Stream<Path> walk = Files.walk(from)) {
                files = walk.filter(file -> file.toString().endsWith(".class")).collect(Collectors.toList());
            }
            for (Path file : files) {
                Path to = Path.of(args[0], module, from.relativize(file).toString());
                Files.createDirectories(to.getParent());
                Files.write(to, Files.readAllBytes(file));
            }
            System.out.println(module + ": " + files.size());
        }
    }
}

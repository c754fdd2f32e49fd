import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Links every class whose file is below the given folders and counts what the VM says.
 * HotSpot links a class, that is verifies it, before it tells of its methods.
 */
public class Link {
    public static void main(String[] args) throws IOException {
        Map<String, Integer> outcomes = new TreeMap<>();
        List<String> rejected = new ArrayList<>();
        for (String folder : args) {
            Path root = Path.of(folder);
            List<Path> files;
            try (Stream<Path> walk = Files.walk(root)) {
                files = walk.filter(file -> file.toString().endsWith(".class")).collect(Collectors.toList());
            }
            for (Path file : files) {
                String path = root.relativize(file).toString();
                if (path.equals("module-info.class")) {
                    continue;
                }
                String name = path.substring(0, path.length() - ".class".length()).replace('/', '.');
                String outcome;
                try {
                    Class.forName(name, false, Link.class.getClassLoader()).getDeclaredMethods();
                    outcome = "linked";
                } catch (VerifyError | ClassFormatError | IncompatibleClassChangeError e) {
                    outcome = "REJECTED " + e.getClass().getName();
                    rejected.add(name + ": " + e);
                } catch (Throwable e) {
                    outcome = e.getClass().getName();
                }
                outcomes.merge(outcome, 1, Integer::sum);
            }
        }
        System.out.println(outcomes);
        rejected.stream().limit(20).forEach(System.out::println);
        System.exit(rejected.isEmpty() ? 0 : 1);
    }
}

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/** How often a sampler has waited, for the kernel: several times for each look, which on a machine with much else to do is seldom. */
class Looks {
    /** Of a thread's folder in /proc. */
    static String read(File task, String name) {
        try {
            Path path = Paths.get(task.getPath(), name);
            return new String(Files.readAllBytes(path)).trim();
        } catch (IOException gone) {
            return "";
        }
    }

    static long of(String thread) {
        for (File task : new File("/proc/self/task").listFiles()) {
            if (!read(task, "comm").equals(thread)) {
                continue;
            }
            for (String line : read(task, "status").split("\n")) {
                if (line.startsWith("voluntary_ctxt_switches:")) {
                    return Long.parseLong(line.replaceAll("\\D", ""));
                }
            }
        }
        return 0;
    }
}

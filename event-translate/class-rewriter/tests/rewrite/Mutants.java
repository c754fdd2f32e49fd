import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/**
 * Links pairs of class files, one before and one after it was rewritten, and counts what the VM
 * says of both. What it took before it has to take afterwards.
 */
public class Mutants extends ClassLoader {
    Mutants() {
        super(Mutants.class.getClassLoader());
    }

    static String outcome(byte[] bytes) {
        try {
            new Mutants().defineClass(null, bytes, 0, bytes.length).getDeclaredMethods();
            return "linked";
        } catch (Throwable e) {
            return e.getClass().getSimpleName();
        }
    }

    static byte[] read(DataInputStream in) throws IOException {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return bytes;
    }

    public static void main(String[] args) throws IOException {
        Map<String, Integer> counts = new TreeMap<>();
        int broken = 0;
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(new FileInputStream(args[0])))) {
            while (true) {
                byte[] old;
                try {
                    old = read(in);
                } catch (EOFException e) {
                    break;
                }
                byte[] rewritten = read(in);
                String before = outcome(old);
                String after = outcome(rewritten);
                counts.merge(before.equals(after) ? before + ", too" : before + " -> " + after, 1, Integer::sum);
                if (before.equals("linked") && !after.equals("linked")) {
                    try (FileOutputStream out = new FileOutputStream("broken-" + broken + "-before.class")) {
                        out.write(old);
                    }
                    try (FileOutputStream out = new FileOutputStream("broken-" + broken + "-after.class")) {
                        out.write(rewritten);
                    }
                    broken++;
                }
            }
        }
        counts.forEach((outcome, count) -> System.out.println(count + " " + outcome));
        System.out.println(broken + " broken");
        System.exit(broken == 0 ? 0 : 1);
    }
}

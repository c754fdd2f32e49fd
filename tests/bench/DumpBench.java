import java.lang.management.ManagementFactory;
import java.lang.management.PlatformManagedObject;

/** A heap of N objects, dumped; the figures go to stdout, a name and a number a line. */
public final class DumpBench {
    static final class Node {
        Node left, right;
        int number;
        long weight;
        Object content;
    }

    static Object[] kept;

    static native long dump();

    static native long cpu();

    static native long bytes();

    static Node tree(int depth, int number) {
        Node node = new Node();
        node.number = number;
        node.weight = number * 3L;
        node.content = number % 4 == 0 ? (Object) new int[] {number, 1, 2} : number % 4 == 1 ? Integer.valueOf(number) : null;
        if (depth > 0) {
            node.left = tree(depth - 1, 2 * number);
            node.right = tree(depth - 1, 2 * number + 1);
        }
        return node;
    }

    /** By the VM's own dumper. */
    static void dumpHeap(String file, boolean live) throws Exception {
        Class<?> bean = Class.forName("com.sun.management.HotSpotDiagnosticMXBean");
        Object its = ManagementFactory.getPlatformMXBeans(bean.asSubclass(PlatformManagedObject.class)).get(0);
        bean.getMethod("dumpHeap", String.class, boolean.class).invoke(its, file, live);
    }

    static void keep(int objects) {
        // A tree of 1023 nodes has about as many and half of contents.
        kept = new Object[objects / 1535 + 1];
        for (int i = 0; i < kept.length; i++) {
            kept[i] = tree(9, 1);
        }
        System.gc();
    }

    /** {@code LIBRARY N [FILE]}, or {@code end N [FILE]}: FILE is written at the end, and all that takes counts. */
    public static void main(String[] words) throws Exception {
        keep(Integer.parseInt(words[1]));
        if (words[0].equals("end")) {
            if (words.length > 2) {
                // Once for what is loaded by it.
                dumpHeap(words[2].replace(".hprof", ".first.hprof"), true);
            }
            System.out.println(System.nanoTime());
            if (words.length > 2) {
                dumpHeap(words[2], true);
            }
            return;
        }
        System.load(words[0]);
        for (String name : new String[] {"untagged", "tagged", "again"}) {
            System.out.println(name + " " + dump() / 1e6);
            System.out.println(name + "_cpu " + cpu() / 1e6);
        }
        System.out.println("bytes " + bytes());
        if (words.length > 2) {
            for (int i = 0; i < 2; i++) {
                java.io.File file = new java.io.File(words[2] + i + ".hprof");
                long from = System.nanoTime();
                dumpHeap(file.getPath(), false);
                System.out.println("hprof" + i + " " + (System.nanoTime() - from) / 1e6);
                file.delete();
            }
        }
        for (String line : java.nio.file.Files.readAllLines(java.nio.file.Paths.get("/proc/self/status"))) {
            if (line.startsWith("VmHWM:")) {
                System.out.println("peak_kb " + line.replaceAll("[^0-9]", ""));
            }
        }
    }
}

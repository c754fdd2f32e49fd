import java.io.File;
import java.io.RandomAccessFile;

/** Cuts off the file that holds counters of this VM, as anybody of the same user may. */
public class CutOff {
    public static void main(String[] words) throws Exception {
        File file = new File(
            "/tmp/hsperfdata_" + System.getProperty("user.name"),
            new File("/proc/self").getCanonicalFile().getName());
        System.gc();
        if (words.length > 0) {
            new RandomAccessFile(file, "rw").setLength(Integer.parseInt(words[0]));
        }
        System.gc();
        System.gc();
        file.delete();
        System.out.println("done");
    }
}

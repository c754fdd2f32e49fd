import java.io.File;
import java.util.TreeMap;

/** One thread calls methods of many classes while events of methods are enabled. */
public class ExitFirst {
    static volatile boolean over;
    static int seen;

    static void busy() {
        TreeMap<String, Integer> map = new TreeMap<>();
        for (int i = 0; !over; i++) {
            String name = new File("a" + i % 7, "b").getPath();
            map.put(name, Integer.valueOf(i));
            seen += new File(name).exists() ? 1 : map.get(name);
        }
    }

    public static void main(String[] words) throws Exception {
        Thread busy = new Thread(ExitFirst::busy, "busy");
        busy.start();
        Native.check("ends");
        Native.check("beginnings");
        over = true;
        busy.join();
        Native.check("done");
        System.out.println("done");
    }
}

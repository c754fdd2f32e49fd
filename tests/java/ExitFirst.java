import java.io.File;
import java.util.TreeMap;

/** One thread calls methods of many classes while events of methods are enabled. */
public class ExitFirst {
    static volatile boolean over;
    static volatile int seen;

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
        Native.check("ends");
        busy.start();
        int before = seen;
        while (seen == before) {
            Thread.yield();
        }
        Native.check("beginnings");
        before = seen;
        long until = System.nanoTime() + 100_000_000L;
        while (seen == before || System.nanoTime() < until) {
            Thread.yield();
        }
        over = true;
        busy.join();
        Native.check("done");
        System.out.println("done");
    }
}

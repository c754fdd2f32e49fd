import java.nio.file.Files;
import java.nio.file.Paths;

/** Method events are switched on and off in between: only b and d are seen. With the name of
 *  a log it waits in between until that says that the hooks have been taken out. */
public class Switched {
    static final int N = 500;
    static volatile int sink;

    static void a() { sink++; }

    static void b() { sink++; }

    static void c() { sink++; }

    static void d() { sink++; }

    static void around(int phase) {
        for (int i = 0; i < N; i++) {
            switch (phase) {
                case 0: a(); break;
                case 1: b(); break;
                case 2: c(); break;
                default: d(); break;
            }
        }
    }

    /** Nobody waits for so long who is told. */
    static void awaitWord(String log) throws Exception {
        long begun = System.nanoTime();
        while (!new String(Files.readAllBytes(Paths.get(log))).contains("have been taken out")
                && System.nanoTime() - begun < 40_000_000_000L) {
            Thread.sleep(20);
        }
    }

    public static void main(String[] arguments) throws Exception {
        for (int phase = 0; phase < 4; phase++) {
            if (phase > 0) {
                Native.check(phase % 2 == 1 ? "on" : "off");
                if (phase == 2 && arguments.length > 0) {
                    awaitWord(arguments[0]);
                }
            }
            around(phase);
        }
        System.out.println("done");
    }
}

/** Method events are switched on and off in between: only b and d are seen. With
 *  arguments it waits in between, so that the hooks are taken out meanwhile. */
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

    public static void main(String[] arguments) throws Exception {
        for (int phase = 0; phase < 4; phase++) {
            if (phase > 0) {
                Native.check(phase % 2 == 1 ? "on" : "off");
                if (phase == 2 && arguments.length > 0) {
                    Thread.sleep(9000);
                }
            }
            around(phase);
        }
        System.out.println("done");
    }
}

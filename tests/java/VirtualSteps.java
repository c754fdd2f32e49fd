import java.lang.reflect.Method;

/** The same steps on virtual threads, which leave their carriers in the middle, and on others. */
public class VirtualSteps {
    static final int N = 20;

    static int rounds(int count) {
        int sum = 0;
        for (int i = 0; i < count; i++) {
            if (i % 2 == 0) {
                sum += i;
            }
            Thread.yield();
        }
        return sum;
    }

    static Thread start(String kind, int number) throws Exception {
        Object made = Thread.class.getMethod(kind.equals("virtual") ? "ofVirtual" : "ofPlatform").invoke(null);
        Class<?> type = Class.forName("java.lang.Thread$Builder");
        made = type.getMethod("name", String.class).invoke(made, kind + " " + number);
        Method start = type.getMethod("start", Runnable.class);
        return (Thread) start.invoke(made, (Runnable) () -> rounds(number));
    }

    public static void main(String[] arguments) throws Exception {
        Thread[] threads = new Thread[2 * N];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = start(i % 2 == 0 ? "virtual" : "platform", i / 2 + 1);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("done");
    }
}

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes classes whose names a VM allows and no compiler makes, with a method and a source file that are called no better,
 * and works and allocates below them, for WORDS[0] ms in each, on a thread with such a name. `zq` and its number stand in
 * each of the names.
 */
public class HostileNames extends ClassLoader {
    /**
     * Neither `.` nor `;` nor `[`, and what `/` divides is not empty. No `(` either, where HPROF's text has the source file
     * begin.
     */
    static final String[] CLASSES = {
        "h/<script>zq0Ran=1<!--",
        "h/<!--zq1<script>",
        "h/<img zq2 src=x onerror=zq2Ran=1>",
        "\"'`\\zq3\" onmouseover=\"zq3Ran=1",
        "zq4\n\r\t\u001bc\u001b]0!t\u0007\u0000\u007f\u0085\u009b31m\u2028\u202ekcab",
        "%s%n%d%%zq5 &lt!&amp=1+1 {{7*7}} ${x}",
        "=zq6|\ud83d\ude00\ud800,\u00e9 12",
        "zq7" + twentyThousand("x"),
    };
    /** Neither `<` nor `>`, either. */
    static final String[] METHODS = {
        "zq0run",
        "zq1&lt\"'",
        "zq2\" onclick=\"zq2Ran=1",
        "zq3\\u003cscript\\",
        "zq4\n\u001bc\r\n",
        "zq5%s%n 7",
        "zq6\ud800\u0000",
        "zq7" + twentyThousand("y"),
    };
    static final String[] SOURCES = {
        "</script><script>zq0Ran=1</script>",
        "--><img zq1 src=x onerror=zq1Ran=1>",
        "]]></style><svg zq2 onload=zq2Ran=1>",
        "'zq3\\\");zq3Ran=1;//",
        "zq4.java:1)\n\tMain.main(Main.java:1",
        "%szq5.java",
        "zq6\ud800;zq6 9",
        "zq7" + twentyThousand("z"),
    };

    private static String twentyThousand(String letter) {
        StringBuilder text = new StringBuilder();
        while (text.length() < 20_000) {
            text.append(letter);
        }
        return text.toString();
    }

    private static void text(DataOutputStream to, String text) throws IOException {
        to.writeByte(1);
        to.writeUTF(text);
    }

    private static void pair(DataOutputStream to, int tag, int first, int second) throws IOException {
        to.writeByte(tag);
        to.writeShort(first);
        if (second > 0) {
            to.writeShort(second);
        }
    }

    private static void code(DataOutputStream to, int name, int type, int flags, byte... code) throws IOException {
        to.writeShort(flags);
        to.writeShort(name);
        to.writeShort(type);
        to.writeShort(1);
        to.writeShort(16);
        to.writeInt(12 + code.length + 12);
        to.writeShort(1);
        to.writeShort(1);
        to.writeInt(code.length);
        to.write(code);
        to.writeShort(0);
        // One line, of all of it.
        to.writeShort(1);
        to.writeShort(17);
        to.writeInt(6);
        to.writeShort(1);
        to.writeShort(0);
        to.writeShort(7);
    }

    /** A class with a constructor and {@code static void METHOD(Runnable task) { task.run(); }}. */
    static byte[] made(String name, String method, String source) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream to = new DataOutputStream(bytes);
        to.writeInt(0xCAFEBABE);
        to.writeInt(49);
        to.writeShort(20);
        text(to, name);
        pair(to, 7, 1, 0);
        text(to, "java/lang/Object");
        pair(to, 7, 3, 0);
        text(to, "java/lang/Runnable");
        pair(to, 7, 5, 0);
        text(to, "<init>");
        text(to, "()V");
        pair(to, 12, 7, 8);
        pair(to, 10, 4, 9);
        text(to, "run");
        pair(to, 12, 11, 8);
        pair(to, 11, 6, 12);
        text(to, method);
        text(to, "(Ljava/lang/Runnable;)V");
        text(to, "Code");
        text(to, "LineNumberTable");
        text(to, "SourceFile");
        text(to, source);
        to.writeShort(0x21);
        to.writeShort(2);
        to.writeShort(4);
        to.writeShort(0);
        to.writeShort(0);
        to.writeShort(2);
        code(to, 7, 8, 1, (byte) 0x2a, (byte) 0xb7, (byte) 0, (byte) 10, (byte) 0xb1);
        code(to, 14, 15, 9, (byte) 0x2a, (byte) 0xb9, (byte) 0, (byte) 13, (byte) 1, (byte) 0, (byte) 0xb1);
        to.writeShort(1);
        to.writeShort(18);
        to.writeInt(2);
        to.writeShort(19);
        return bytes.toByteArray();
    }

    static final List<Object> KEPT = new ArrayList<>();
    static volatile double sink;

    private static void works(Class<?> type, int millis) {
        long end = System.nanoTime() + millis * 1_000_000L;
        int round = 0;
        while (System.nanoTime() < end || round < 200) {
            for (int times = 0; times < 2000; times++) {
                sink += Math.sqrt(times + round);
            }
            if (round++ < 200) {
                try {
                    KEPT.add(type.getConstructor().newInstance());
                } catch (ReflectiveOperationException error) {
                    throw new AssertionError(error);
                }
                KEPT.add(Array.newInstance(type, 100));
            }
        }
    }

    private static void meets(Object lock, int millis) throws InterruptedException {
        synchronized (lock) {
            lock.wait(millis);
        }
    }

    public static void main(String[] words) throws Exception {
        Thread thread = new Thread("</script><script>zq8Ran=1</script><img zq8 src=x onerror=zq8Ran=1>\n\u001b[2J\u202e\u2028") {
            public void run() {
                try {
                    all(words);
                } catch (Exception error) {
                    throw new AssertionError(error);
                }
            }
        };
        thread.start();
        thread.join();
        System.out.println("done");
    }

    private static void all(String[] words) throws Exception {
        int millis = words.length > 0 ? Integer.parseInt(words[0]) : 100;
        HostileNames loader = new HostileNames();
        for (int number = 0; number < CLASSES.length; number++) {
            byte[] bytes = made(CLASSES[number], METHODS[number], SOURCES[number]);
            Class<?> type = loader.defineClass(null, bytes, 0, bytes.length);
            Object lock = type.getConstructor().newInstance();
            Runnable task = () -> {
                works(type, millis);
                try {
                    meets(lock, 10);
                } catch (InterruptedException error) {
                    throw new AssertionError(error);
                }
            };
            Method method = type.getMethod(METHODS[number], Runnable.class);
            try {
                method.invoke(null, task);
            } catch (InvocationTargetException error) {
                throw new AssertionError(error);
            }
        }
    }
}

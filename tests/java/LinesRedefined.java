import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;

/**
 * Looks at its stack while a Java agent, this class too, gives its methods other lines, by redefining them and by
 * retransforming them in turn: {@code LinesRedefined MILLIS}.
 */
public class LinesRedefined {
    static Instrumentation instrumentation;
    /** How far the lines have been moved. */
    static volatile int moved;
    static volatile boolean done;
    static int sink;

    public static void premain(String options, Instrumentation given) {
        instrumentation = given;
        given.addTransformer(new ClassFileTransformer() {
            @Override
            public byte[] transform(ClassLoader loader, String name, Class<?> type, ProtectionDomain domain, byte[] bytes) {
                return type == Called.class ? withLines(bytes) : null;
            }
        }, true);
    }

    /** Its methods are on the stacks. */
    static class Called {
        static void first(int n) {
            sink += n;
            second(n + 1);
            sink++;
        }

        static void second(int n) {
            sink += n;
            Native.check("look");
            sink++;
        }
    }

    /** A copy with other lines: each LineNumberTable is found by its name's number and by its sizes, which fit. */
    static byte[] withLines(byte[] bytes) {
        byte[] copy = bytes.clone();
        int name = nameOfTables(bytes);
        for (int at = 10; at + 8 <= copy.length; at++) {
            int count = u2(copy, at + 6);
            if (u2(copy, at) == name && u2(copy, at + 2) == 0 && count > 0 && u2(copy, at + 4) == 2 + 4 * count
                && at + 8 + 4 * count <= copy.length) {
                for (int entry = at + 8; entry < at + 8 + 4 * count; entry += 4) {
                    int line = u2(copy, entry + 2) % 1000 + moved;
                    copy[entry + 2] = (byte) (line >> 8);
                    copy[entry + 3] = (byte) line;
                }
            }
        }
        return copy;
    }

    static byte[] loaded(String file) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (InputStream in = LinesRedefined.class.getResourceAsStream(file)) {
            for (int next = in.read(); next >= 0; next = in.read()) {
                bytes.write(next);
            }
        }
        return bytes.toByteArray();
    }

    static int u2(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 8 | bytes[at + 1] & 0xff;
    }

    static int nameOfTables(byte[] bytes) {
        int at = 10;
        for (int number = 1; number < u2(bytes, 8); number++) {
            int tag = bytes[at];
            if (tag == 1 && new String(bytes, at + 3, u2(bytes, at + 1)).equals("LineNumberTable")) {
                return number;
            }
            int size = tag == 1 ? 3 + u2(bytes, at + 1) : tag == 5 || tag == 6 ? 9 : tag == 15 ? 4
                : tag == 7 || tag == 8 || tag == 16 || tag == 19 || tag == 20 ? 3 : 5;
            number += tag == 5 || tag == 6 ? 1 : 0;
            at += size;
        }
        throw new IllegalStateException("no lines");
    }

    public static void main(String[] arguments) throws Exception {
        long begun = System.nanoTime();
        long until = begun + Integer.parseInt(arguments[0]) * 1000000L;
        byte[] loaded = loaded("LinesRedefined$Called.class");
        Thread[] threads = new Thread[2];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread("looks " + i) {
                @Override
                public void run() {
                    Native.check("each");
                    while (!done) {
                        Called.first(1);
                    }
                }
            };
            threads[i].start();
        }
        int changes = 0;
        while (System.nanoTime() < until || changes < 20 || !Enough.isSeen(begun)) {
            moved += 1000;
            moved %= 50000;
            if (changes % 2 == 0) {
                instrumentation.redefineClasses(new ClassDefinition(Called.class, loaded));
            } else {
                instrumentation.retransformClasses(Called.class);
            }
            Thread.sleep(2);
            changes++;
        }
        done = true;
        for (Thread thread : threads) {
            thread.join();
        }
        Native.check("lines");
    }
}

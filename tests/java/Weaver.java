import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;

/** A Java agent: changes a text in one class, as it is loaded and again later by
 *  retransforming it. */
public class Weaver {
    static String from = "original-";
    static String to = "weaving-1";

    static byte[] replace(byte[] bytes) throws Exception {
        String text = new String(bytes, "ISO-8859-1");
        return text.contains(from) ? text.replace(from, to).getBytes("ISO-8859-1") : null;
    }

    public static void premain(String options, Instrumentation instrumentation) throws Exception {
        instrumentation.addTransformer(new ClassFileTransformer() {
            public byte[] transform(ClassLoader loader, String name, Class<?> type, ProtectionDomain domain, byte[] bytes) {
                try {
                    return name != null && name.startsWith("Patched") ? replace(bytes) : null;
                } catch (Exception e) {
                    return null;
                }
            }
        }, true);
        Thread thread = new Thread("retransformer") {
            public void run() {
                try {
                    for (Class<?> type : instrumentation.getAllLoadedClasses()) {
                        if (type.getName().equals("java.lang.StringBuilder") || type.getName().startsWith("java.util.HashMap")) {
                            instrumentation.retransformClasses(type);
                        }
                    }
                    System.out.println("retransformed");
                } catch (Throwable e) {
                    System.out.println(e);
                }
            }
        };
        thread.start();
        thread.join();
    }
}

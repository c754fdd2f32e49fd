import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;

/** Loads classes of every kind, 500 generated ones from several threads at once. */
public class Loads {
    /** Named as the element of an array long before it is prepared. */
    static class Never {
        int field;
        static long other;
        void method() { }
    }

    static class Late {
        static int value = 7;
        void late() { }
    }

    interface Shape {
        double area();
    }

    static class Loader extends ClassLoader {
        Class<?> define(String name, byte[] bytes) {
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    /** A class file with nothing in it but one method without code. */
    static byte[] generate(String name) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(0xcafebabe);
        out.writeShort(0);
        out.writeShort(50);
        out.writeShort(7);
        out.writeByte(1);
        out.writeUTF(name);
        out.writeByte(7);
        out.writeShort(1);
        out.writeByte(1);
        out.writeUTF("java/lang/Object");
        out.writeByte(7);
        out.writeShort(3);
        out.writeByte(1);
        out.writeUTF("method");
        out.writeByte(1);
        out.writeUTF("()V");
        out.writeShort(0x0601); // public abstract interface
        out.writeShort(2);
        out.writeShort(4);
        out.writeShort(0); // interfaces
        out.writeShort(0); // fields
        out.writeShort(1); // methods
        out.writeShort(0x0401); // public abstract
        out.writeShort(5);
        out.writeShort(6);
        out.writeShort(0);
        out.writeShort(0); // attributes
        return bytes.toByteArray();
    }

    public static void main(String[] arguments) throws Exception {
        Object nevers = new Never[3];
        Native.check("stack");
        final int threads = 5;
        final CountDownLatch go = new CountDownLatch(threads);
        Thread[] all = new Thread[threads];
        for (int t = 0; t < threads; t++) {
            final int number = t;
            all[t] = new Thread("loader-" + t) {
                public void run() {
                    try {
                        go.countDown();
                        go.await();
                        Loader loader = new Loader();
                        for (int i = 0; i < 100; i++) {
                            String name = "Generated_" + number + "_" + i;
                            Class<?> made = loader.define(name, generate(name));
                            // Links it: that is when a class is prepared.
                            made.getMethods();
                            Class.forName(name, true, loader);
                        }
                    } catch (Throwable e) {
                        e.printStackTrace();
                    }
                }
            };
            all[t].start();
        }
        for (Thread thread : all) {
            thread.join();
        }
        Supplier<String> lambda = () -> "lambda";
        Shape shape = (Shape) Proxy.newProxyInstance(Loads.class.getClassLoader(), new Class<?>[] { Shape.class },
            (proxy, method, values) -> 2.5);
        System.out.println(lambda.get() + " " + shape.area() + " " + Late.value + " " + ((Object[]) nevers).length);
        int[][][] numbers = new int[2][3][4];
        System.out.println(numbers.length + " " + new Shape[1][1].length);
        Native.check("before");
        new Never().method();
        Native.check("done");
        System.out.println("done");
    }
}

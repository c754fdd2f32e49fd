import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntFunction;

/** Stacks of all kinds on which an agent is called: {@code OwnTraces MILLIS}, of each part. */
public class OwnTraces {
    static volatile Object sink;
    static long until;

    static boolean goesOn() {
        return System.nanoTime() < until;
    }

    /* ---- compiled frames, inlined into each other ---- */

    static class Node {
        final Node next;

        Node(Node next) {
            this.next = next;
        }
    }

    static Node one(Node next) {
        return new Node(next);
    }

    static Node two(Node next) {
        return one(one(next));
    }

    static void inlined() {
        Node node = null;
        for (int i = 0; i < 20000; i++) {
            node = two(i % 100 == 0 ? null : node);
        }
        sink = node;
        Native.check("look");
    }

    /* ---- deep ---- */

    static Object deep(int left) {
        if (left == 0) {
            Native.check("whole");
            return new Object();
        }
        return left % 2 == 0 ? deep(left - 1) : deeper(left - 1);
    }

    static Object deeper(int left) {
        return deep(left);
    }

    /* ---- frames that lose their compiled code while they are on the stack ---- */

    abstract static class Shape {
        abstract int area(int left);
    }

    static class Square extends Shape {
        @Override
        int area(int left) {
            return measured(this, left - 1) + 1;
        }
    }

    static IntFunction<Object> atTheBottom;

    static int measured(Shape shape, int left) {
        if (left <= 0) {
            if (atTheBottom != null) {
                sink = atTheBottom.apply(left);
                Native.check("look");
                sink = new Object();
            }
            return 0;
        }
        return shape.area(left);
    }

    /* Its loading makes invalid what was compiled for squares alone. */
    static class Circle extends Shape {
        @Override
        int area(int left) {
            return 3;
        }
    }

    static void deoptimised() {
        Shape square = new Square();
        for (int i = 0; i < 30000; i++) {
            measured(square, 12);
        }
        atTheBottom = left -> new Circle();
        for (int i = 0; i < 50; i++) {
            measured(square, 12);
        }
    }

    /* ---- compiled code that names a class for the first time: for the class loader the VM makes a
     * string of the name, with the stub of the call on top of the stack ---- */

    static class Box {
        final Object content;

        Box(Object content) {
            this.content = content;
        }
    }

    static Box boxed(Object content) {
        return new Box(content);
    }

    static Box first(int which) {
        switch (which) {
            case 0: return boxed(Float.valueOf(1));
            case 1: return boxed(Double.valueOf(1));
            case 2: return boxed(Short.valueOf((short) 1));
            case 3: return boxed(Byte.valueOf((byte) 1));
            case 4: return boxed(Character.valueOf('a'));
            case 5: return boxed(Boolean.valueOf(true));
            case 6: return boxed(Collections.emptyList());
            case 7: return boxed(Arrays.asList(1, 2));
            case 8: return boxed(Objects.hash(1, 2));
            case 9: return boxed(Runtime.getRuntime());
            case 10: return boxed(ClassLoader.getSystemClassLoader());
            default: return null;
        }
    }

    static Box called(int which) {
        return first(which);
    }

    static void firstCalls() {
        for (int i = 0; i < 1500; i++) {
            sink = called(-1);
            sink = boxed(null);
            Native.check("each");
        }
        for (int i = 0; i < 11; i++) {
            sink = called(i);
        }
        Native.check("some");
    }

    /* ---- a bottom that is not one ---- */

    static class Again extends Thread {
        int left = 30;

        @Override
        public void run() {
            Native.check("look");
            sink = new int[left];
            if (left-- > 0) {
                run();
            }
        }
    }

    /* ---- the rest ---- */

    public static Object reflected(int left) throws Exception {
        if (left == 0) {
            Native.check("look");
            return new Object();
        }
        return OwnTraces.class.getMethod("reflected", int.class).invoke(null, left - 1);
    }

    static void lambdas(int left) {
        Runnable runnable = () -> {
            sink = new Object[left];
            Native.check("look");
            if (left > 0) {
                lambdas(left - 1);
            }
        };
        runnable.run();
    }

    static int thrown(int left) {
        try {
            if (left == 0) {
                throw new IllegalStateException("thrown");
            }
            return thrown(left - 1);
        } finally {
            Native.check("look");
        }
    }

    static final Object LOCK = new Object();

    static void contended() throws InterruptedException {
        synchronized (LOCK) {
            sink = new Object();
            Native.rest(1);
            LOCK.wait(1);
            LOCK.notifyAll();
        }
    }

    /** However few threads get a processor. */
    static void certainlyContended() throws InterruptedException {
        Thread second = new Thread(() -> {
            synchronized (LOCK) {
                sink = new Object();
            }
        });
        synchronized (LOCK) {
            second.start();
            while (second.getState() != Thread.State.BLOCKED) {
                Thread.sleep(1);
            }
        }
        second.join();
    }

    static void all(int number) throws Exception {
        inlined();
        sink = deep(1500 - number);
        sink = reflected(20);
        lambdas(10);
        try {
            thrown(10);
        } catch (IllegalStateException expected) {
            sink = expected;
        }
        for (int i = 0; i < 5; i++) {
            contended();
        }
    }

    /* ---- threads ---- */

    interface Part {
        void run() throws Exception;
    }

    static final List<Throwable> FAILED = new ArrayList<>();
    static final List<Thread> THREADS = new ArrayList<>();

    static void start(Part part) {
        Thread thread = new Thread(() -> {
            try {
                // Once at least, however late it comes to run.
                do {
                    part.run();
                } while (goesOn());
            } catch (Throwable failure) {
                synchronized (FAILED) {
                    FAILED.add(failure);
                }
            }
        });
        THREADS.add(thread);
        thread.start();
    }

    static void virtual(Method start) throws Exception {
        CountDownLatch done = new CountDownLatch(20);
        for (int i = 0; i < 20; i++) {
            start.invoke(null, (Runnable) () -> {
                sink = deep(10);
                Thread.yield();
                lambdas(3);
                done.countDown();
            });
        }
        done.await();
    }

    static void round(Method startVirtual) throws Exception {
        until = System.nanoTime() + millis * 1_000_000L;
        THREADS.clear();
        for (int i = 0; i < 3; i++) {
            int number = i;
            start(() -> all(number));
        }
        start(() -> {
            Again again = new Again();
            again.start();
            again.join();
        });
        byte[] template = UnloadStorm.template();
        int[] loaded = { 0 };
        start(() -> {
            loaded[0] += UnloadStorm.batch(template, loaded[0], 5, true);
            System.gc();
            Thread.sleep(20);
        });
        if (startVirtual != null) {
            start(() -> virtual(startVirtual));
        }
        for (Thread thread : THREADS) {
            thread.join();
        }
    }

    static long millis;

    public static void main(String[] arguments) throws Exception {
        millis = Long.parseLong(arguments[0]);
        Method startVirtual = null;
        try {
            startVirtual = Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException e) {
            // An older JDK.
        }
        firstCalls();
        deoptimised();
        certainlyContended();
        round(startVirtual);
        Native.check("methods");
        round(startVirtual);
        Native.check("no methods");
        round(startVirtual);
        if (!FAILED.isEmpty()) {
            throw new Exception(FAILED.get(0));
        }
        Native.check("done");
        System.out.println("done");
    }
}

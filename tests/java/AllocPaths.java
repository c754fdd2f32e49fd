import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;

/**
 * Allocates by every path there is, each with a class of its own, and says how
 * many of each class there were: {@code AllocPaths THREADS N}.
 *
 * A line is COUNT NAME N (exact; NAME* is the sum of all names that begin so) or
 * ATLEAST NAME N (others allocate them, too).
 */
public class AllocPaths {
    static {
        // Links them: an array of a class that is not linked is told of without it.
        for (Class<?> nested : AllocPaths.class.getDeclaredClasses()) {
            nested.getDeclaredFields();
        }
    }

    /** Whatever was made comes by here: the compiler may remove nothing. */
    static volatile Object sink;

    static class New { int field; }
    static class Big { long a, b, c, d, e, f, g, h; Object i; }
    static class Outer { class Inner { } }
    static class OneByOne { }
    static class Element { }
    static class Humongous { }
    static class Reflected { public Reflected() { } }
    static class ByClass { public ByClass() { } }
    static class ArrayReflected { }
    static class ArrayReflected2 { }
    static class Cloned implements Cloneable {
        int value = 7;
        long other = 8;
        Object third = "third";
        Cloned copy() throws CloneNotSupportedException { return (Cloned) clone(); }
    }
    static class ClonedElement { }
    static class Copied { }
    static class CopiedRange { }
    static class Handled { Handled() { } }
    static class HandledLater { HandledLater(int value) { } }
    static class Referred { }
    static class ReferredElement { }
    static class Multi2 { }
    static class Multi3 { }
    static class Jagged { }
    static class Vararg { }
    static class Unsafely { int field = 3; }
    static class Thrown extends RuntimeException { }
    static class Finalized { protected void finalize() { } }
    static class Serialized implements Serializable { int field = 5; }
    static class InStatic { }
    static class FirstInThread { }
    static class InHook { }
    static class Hashed {
        public int hashCode() { return System.identityHashCode(this); }
    }
    static class Locked { }
    static class ToArray { }

    enum Colour { RED, GREEN, BLUE }

    /** Its only lambdas are those that are counted. */
    static class LambdaHost {
        static Supplier<Object> capture(int number, Object other) {
            return () -> number + " " + other;
        }
    }

    static class Holder {
        static final InStatic[] ALL = { new InStatic(), new InStatic(), new InStatic() };
    }

    static final MethodHandle HANDLE;
    static MethodHandle handle;
    static final Constructor<?> CONSTRUCTOR;
    static final Cloned ORIGINAL = new Cloned();
    static final ClonedElement[] ORIGINALS = new ClonedElement[5];
    static final Copied[] TO_COPY = new Copied[10];
    static final CopiedRange[] TO_COPY_RANGE = new CopiedRange[10];
    static final Outer OUTER = new Outer();
    static final List<ToArray> LIST = new ArrayList<>();
    static final Object UNSAFE;
    static final Method ALLOCATE;
    static final byte[] SERIALIZED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            HANDLE = lookup.findConstructor(Handled.class, MethodType.methodType(void.class));
            handle = lookup.findConstructor(HandledLater.class, MethodType.methodType(void.class, int.class));
            CONSTRUCTOR = Reflected.class.getDeclaredConstructor();
            LIST.add(new ToArray());
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            ObjectOutputStream out = new ObjectOutputStream(bytes);
            out.writeObject(new Serialized());
            out.close();
            SERIALIZED = bytes.toByteArray();
            Object unsafe = null;
            Method allocate = null;
            try {
                Class<?> type = Class.forName("sun.misc.Unsafe");
                Field field = type.getDeclaredField("theUnsafe");
                field.setAccessible(true);
                unsafe = field.get(null);
                allocate = type.getMethod("allocateInstance", Class.class);
            } catch (ReflectiveOperationException | RuntimeException absent) {
                unsafe = null;
            }
            UNSAFE = unsafe;
            ALLOCATE = allocate;
        } catch (Exception e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** One way to allocate. */
    abstract static class Path {
        /** Every so many rounds only: for the slow and the big. */
        int every = 1;
        private final List<String> names = new ArrayList<>();
        private final List<Integer> numbers = new ArrayList<>();
        private boolean others;

        abstract Object make() throws Throwable;

        /** Each call makes so many of these. */
        Path of(Class<?> type, int number) {
            names.add(name(type));
            numbers.add(number);
            return this;
        }

        Path of(String name, int number) {
            names.add(name);
            numbers.add(number);
            return this;
        }

        Path every(int rounds) {
            every = rounds;
            return this;
        }

        /** Not only the program makes them. */
        Path others() {
            others = true;
            return this;
        }

        void addTo(TreeMap<String, Long> counts, int rounds, int threads) {
            long calls = (long) ((rounds + every - 1) / every) * threads;
            for (int i = 0; i < names.size(); i++) {
                String key = (others ? "ATLEAST " : "COUNT ") + names.get(i);
                counts.merge(key, calls * numbers.get(i), Long::sum);
            }
        }
    }

    static String name(Class<?> type) {
        return type.isArray() ? name(type.getComponentType()) + "[]" : type.getName();
    }

    static Object[] varargs(Vararg... all) {
        return all;
    }

    static List<Path> paths() {
        List<Path> all = new ArrayList<>();
        all.add(new Path() { Object make() { return new New(); } }.of(New.class, 1));
        all.add(new Path() { Object make() { return new Big(); } }.of(Big.class, 1));
        all.add(new Path() { Object make() { return OUTER.new Inner(); } }.of(Outer.Inner.class, 1));
        all.add(new Path() { Object make() { return new Element[7]; } }.of(Element[].class, 1));
        all.add(new Path() { Object make() { return new Element[0]; } }.of(Element[].class, 1));
        all.add(new Path() { Object make() { return new Humongous[400000]; } }.of(Humongous[].class, 1).every(1000));
        all.add(new Path() {
            Object make() throws Throwable { return CONSTRUCTOR.newInstance(); }
        }.of(Reflected.class, 1));
        all.add(new Path() { Object make() throws Throwable { return ByClass.class.newInstance(); } }.of(ByClass.class, 1));
        all.add(new Path() {
            Object make() { return Array.newInstance(ArrayReflected.class, 3); }
        }.of(ArrayReflected[].class, 1));
        all.add(new Path() {
            Object make() { return Array.newInstance(ArrayReflected2.class, 2, 3); }
        }.of(ArrayReflected2[][].class, 1).of(ArrayReflected2[].class, 2));
        all.add(new Path() { Object make() throws Throwable { return ORIGINAL.copy(); } }.of(Cloned.class, 1));
        all.add(new Path() { Object make() { return ORIGINALS.clone(); } }.of(ClonedElement[].class, 1));
        all.add(new Path() { Object make() { return Arrays.copyOf(TO_COPY, 12); } }.of(Copied[].class, 1));
        all.add(new Path() {
            Object make() { return Arrays.copyOfRange(TO_COPY_RANGE, 2, 6); }
        }.of(CopiedRange[].class, 1));
        all.add(new Path() {
            Object make() throws Throwable { return (Handled) HANDLE.invokeExact(); }
        }.of(Handled.class, 1));
        all.add(new Path() {
            Object make() throws Throwable { return (HandledLater) handle.invokeExact(3); }
        }.of(HandledLater.class, 1));
        all.add(new Path() {
            final Supplier<Referred> supplier = Referred::new;
            Object make() { return supplier.get(); }
        }.of(Referred.class, 1));
        all.add(new Path() {
            final java.util.function.IntFunction<ReferredElement[]> function = ReferredElement[]::new;
            Object make() { return function.apply(4); }
        }.of(ReferredElement[].class, 1));
        all.add(new Path() {
            int number;
            Object make() { return LambdaHost.capture(number++, this); }
        }.of("AllocPaths$LambdaHost$$Lambda*", 1));
        all.add(new Path() { Object make() { return new Multi2[3][4]; } }.of(Multi2[][].class, 1).of(Multi2[].class, 3));
        all.add(new Path() {
            Object make() { return new Multi3[2][3][4]; }
        }.of(Multi3[][][].class, 1).of(Multi3[][].class, 2).of(Multi3[].class, 6));
        all.add(new Path() { Object make() { return new Jagged[3][]; } }.of(Jagged[][].class, 1));
        all.add(new Path() {
            Object make() { return varargs(new Vararg(), new Vararg()); }
        }.of(Vararg.class, 2).of(Vararg[].class, 1));
        all.add(new Path() {
            Object make() {
                try {
                    throw new Thrown();
                } catch (Thrown thrown) {
                    return thrown;
                }
            }
        }.of(Thrown.class, 1).every(10));
        all.add(new Path() { Object make() { return new Finalized(); } }.of(Finalized.class, 1).every(10));
        all.add(new Path() {
            Object make() throws Throwable {
                return new ObjectInputStream(new ByteArrayInputStream(SERIALIZED)).readObject();
            }
        }.of(Serialized.class, 1).every(100));
        all.add(new Path() { Object make() { return Colour.values(); } }.of(Colour[].class, 1));
        all.add(new Path() {
            Object make() {
                ToArray[] none = new ToArray[0];
                sink = none;
                return LIST.toArray(none);
            }
        }.of(ToArray[].class, 2));
        // An identity hash and a lock are in the header, as is what finds a tag.
        all.add(new Path() {
            Object make() {
                Hashed made = new Hashed();
                made.hashCode();
                return made;
            }
        }.of(Hashed.class, 1));
        all.add(new Path() {
            Object make() {
                Locked made = new Locked();
                synchronized (made) {
                    sink = made;
                }
                return made;
            }
        }.of(Locked.class, 1));
        if (ALLOCATE != null) {
            all.add(new Path() {
                Object make() throws Throwable { return ALLOCATE.invoke(UNSAFE, Unsafely.class); }
            }.of(Unsafely.class, 1));
        }
        all.add(new Path() { Object make() { return new boolean[1]; } }.of(boolean[].class, 1).others());
        all.add(new Path() { Object make() { return new byte[2]; } }.of(byte[].class, 1).others());
        all.add(new Path() { Object make() { return new char[3]; } }.of(char[].class, 1).others());
        all.add(new Path() { Object make() { return new short[4]; } }.of(short[].class, 1).others());
        all.add(new Path() { Object make() { return new int[5]; } }.of(int[].class, 1).others());
        all.add(new Path() { Object make() { return new long[6]; } }.of(long[].class, 1).others());
        all.add(new Path() { Object make() { return new float[7]; } }.of(float[].class, 1).others());
        all.add(new Path() { Object make() { return new double[8]; } }.of(double[].class, 1).others());
        all.add(new Path() { Object make() { return new char[400000]; } }.of(char[].class, 1).every(1000).others());
        all.add(new Path() { Object make() { return new int[2][3]; } }.of(int[].class, 2).of(int[][].class, 1).others());
        all.add(new Path() {
            int number = 1000;
            Object make() { return Integer.valueOf(number++); }
        }.of(Integer.class, 1).others());
        all.add(new Path() {
            int number;
            Object make() { return "text " + number++; }
        }.of(String.class, 1).of(byte[].class, 1).others());
        return all;
    }

    static void run(List<Path> paths, int rounds) {
        try {
            for (Path path : paths) {
                for (int i = 0; i < rounds; i += path.every) {
                    sink = path.make();
                }
            }
        } catch (Throwable e) {
            e.printStackTrace();
            System.exit(1);
        }
    }

    public static void main(String[] arguments) throws Exception {
        final int threads = Integer.parseInt(arguments[0]);
        final int rounds = Integer.parseInt(arguments[1]);
        final List<Path> paths = paths();
        if (threads == 1) {
            run(paths, rounds);
        } else {
            final CountDownLatch go = new CountDownLatch(threads);
            Thread[] all = new Thread[threads];
            for (int t = 0; t < threads; t++) {
                // Each begins elsewhere, so that different paths meet.
                final List<Path> own = new ArrayList<>(paths.subList(t * paths.size() / threads, paths.size()));
                own.addAll(paths.subList(0, t * paths.size() / threads));
                all[t] = new Thread("allocator-" + t) {
                    public void run() {
                        try {
                            go.countDown();
                            go.await();
                        } catch (InterruptedException e) {
                            return;
                        }
                        AllocPaths.run(own, rounds);
                    }
                };
                all[t].start();
            }
            for (Thread thread : all) {
                thread.join();
            }
        }
        // The very first thing of threads that do nothing else.
        final int shorts = 40;
        for (int i = 0; i < shorts; i++) {
            Thread thread = new Thread("short-" + i) {
                public void run() {
                    sink = new FirstInThread();
                }
            };
            thread.start();
            thread.join();
        }
        for (int i = 0; i < 10; i++) {
            sink = new OneByOne();
        }
        sink = Holder.ALL;
        // What is alive may move, and does not count again.
        System.gc();
        Thread.sleep(100);
        final int last = 100;
        Runtime.getRuntime().addShutdownHook(new Thread("hook") {
            public void run() {
                for (int i = 0; i < last; i++) {
                    sink = new InHook();
                }
            }
        });

        TreeMap<String, Long> counts = new TreeMap<>();
        for (Path path : paths) {
            path.addTo(counts, rounds, threads);
        }
        counts.merge("COUNT " + name(Cloned.class), 1L, Long::sum);
        counts.merge("COUNT " + name(ClonedElement[].class), 1L, Long::sum);
        counts.merge("COUNT " + name(Copied[].class), 1L, Long::sum);
        counts.merge("COUNT " + name(CopiedRange[].class), 1L, Long::sum);
        counts.merge("COUNT " + name(Serialized.class), 1L, Long::sum);
        counts.merge("COUNT " + name(ToArray.class), 1L, Long::sum);
        counts.merge("COUNT " + name(Colour.class), 3L, Long::sum);
        counts.merge("COUNT " + name(Colour[].class), 1L, Long::sum);
        counts.merge("COUNT " + name(InStatic.class), 3L, Long::sum);
        counts.merge("COUNT " + name(InStatic[].class), 1L, Long::sum);
        counts.merge("COUNT " + name(Outer.class), 1L, Long::sum);
        counts.merge("COUNT " + name(OneByOne.class), 10L, Long::sum);
        counts.merge("COUNT " + name(FirstInThread.class), (long) shorts, Long::sum);
        counts.merge("COUNT " + name(InHook.class), (long) last, Long::sum);
        StringBuilder text = new StringBuilder();
        for (String key : counts.keySet()) {
            text.append(key).append(' ').append(counts.get(key)).append('\n');
        }
        System.out.print(text);
    }
}

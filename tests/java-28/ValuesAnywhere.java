import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.WeakHashMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Value objects wherever a program can have them: flattened in fields, in arrays of all layouts and in one another, as keys
 * and elements, in references, queues, locals of threads that wait, tasks of virtual threads, static fields, exceptions.
 */
public class ValuesAnywhere {
    /** Fits into a flattened field, also where that may be null. */
    value record Spot(short x, short y) {
    }

    /** Does not fit. */
    value record Wide(long low, long high, Object held) {
    }

    value record Nested(Spot from, Spot to, Wide wide) {
    }

    /** A list whose elements have no identity. */
    value record Link(int number, Link next) {
    }

    value record Name(String text) implements Comparable<Name> {
        public int compareTo(Name other) {
            return text.compareTo(other.text);
        }
    }

    /** Nothing to tell one from another. */
    static value class Nothing {
    }

    /** With identity and without, below one class. */
    abstract static value class Figure {
        abstract long size();

        synchronized static void count() {
            counted++;
        }
    }

    static int counted;

    static value class Flat extends Figure {
        final int size;

        Flat(int size) {
            this.size = size;
            super();
        }

        long size() {
            return size;
        }
    }

    static class Solid extends Figure {
        long size;

        synchronized long size() {
            return size++;
        }
    }

    /** A task, which waits with nothing but itself on its stack. */
    value record Task(int number, BlockingQueue<Name> names, ReentrantLock lock) implements Runnable, Callable<Spot> {
        public void run() {
            try {
                Name name = names.take();
                LockSupport.parkNanos(1000);
                Thread.sleep(1);
                locked(name);
            } catch (InterruptedException error) {
                throw new IllegalStateException(error);
            }
        }

        private void locked(Name name) {
            lock.lock();
            try {
                sum += number + name.text.length();
                Thread.yield();
            } finally {
                lock.unlock();
            }
        }

        public Spot call() {
            Spot spot = new Spot((short) number, (short) 1);
            Thread.yield();
            return spot;
        }
    }

    static long sum;

    static class Holder {
        Spot spot;
        Wide wide;
        Nested nested;
        Figure figure;
        Optional<Name> maybe;
        Integer number;
        volatile Spot changing;
    }

    static final List<Object> KEPT = new ArrayList<>();
    static Spot staticSpot = new Spot((short) 1, (short) 2);
    static Nested staticNested = nested(77);
    static final ThreadLocal<Name> LOCAL = ThreadLocal.withInitial(() -> new Name("local"));

    static Nested nested(int number) {
        Spot spot = new Spot((short) number, (short) (number + 1));
        return new Nested(spot, spot, new Wide(number, -number, "held " + number));
    }

    /** Arrays of the layouts that the JDK's own code asks for: never null, atomic or not, and such that may be null. */
    static Object[] arrays(int length) throws Exception {
        Class<?> made = Class.forName("jdk.internal.value.ValueClass");
        List<Object> arrays = new ArrayList<>();
        for (Method method : made.getMethods()) {
            String name = method.getName();
            if (!name.startsWith("new") || !name.endsWith("Array")) {
                continue;
            }
            for (Object value : new Object[] {new Spot((short) 3, (short) 4), nested(5), new Nothing(), 6}) {
                Object array;
                if (method.getParameterCount() == 2) {
                    array = method.invoke(null, value.getClass(), length);
                } else {
                    array = method.invoke(null, value.getClass(), length, value);
                }
                for (int at = 0; at < length; at += 2) {
                    Array.set(array, at, value instanceof Spot ? new Spot((short) at, (short) 9) : value);
                }
                arrays.add(array);
            }
        }
        return arrays.toArray();
    }

    static void hold(int round) throws Exception {
        Holder holder = new Holder();
        holder.spot = new Spot((short) round, (short) 0);
        holder.wide = new Wide(round, round, holder);
        holder.nested = nested(round);
        holder.figure = round % 2 == 0 ? new Flat(round) : new Solid();
        holder.maybe = Optional.of(new Name("maybe " + round));
        holder.number = 100_000 + round;
        for (int at = 0; at < 10; at++) {
            holder.changing = new Spot((short) at, (short) round);
            sum += holder.changing.x + holder.figure.size();
        }
        Figure.count();
        KEPT.add(holder);
        KEPT.add(new Nothing());
        KEPT.add(arrays(7));
        Spot[] spots = new Spot[9];
        Arrays.setAll(spots, at -> at % 3 == 0 ? null : new Spot((short) at, (short) round));
        KEPT.add(spots.clone());
        KEPT.add(Arrays.copyOf(spots, 20, Object[].class));
        Spot[] moved = (Spot[]) Array.newInstance(Spot.class, 9);
        System.arraycopy(spots, 0, moved, 1, 8);
        KEPT.add(moved);
        KEPT.add(new Spot[][] {spots, moved, null, {staticSpot}});
    }

    static void collect(int round) {
        Map<Name, Wide> hashed = new HashMap<>();
        Map<Name, Wide> shared = new ConcurrentHashMap<>();
        Map<Name, Spot> sorted = new TreeMap<>();
        Map<Object, Object> same = new IdentityHashMap<>();
        for (int at = 0; at < 50; at++) {
            Name name = new Name("name " + at);
            hashed.put(name, new Wide(at, round, name));
            shared.merge(name, new Wide(1, 1, null), (old, one) -> new Wide(old.low + one.low, 0, name));
            sorted.put(name, new Spot((short) at, (short) at));
            same.put(new Spot((short) (at % 5), (short) 0), at);
        }
        expect(same.size() == 5, "five that are the same");
        expect(hashed.equals(new HashMap<>(hashed)), "maps are equal");
        sum += sorted.values().stream().mapToInt(Spot::x).sum();
        sum += hashed.values().parallelStream().mapToLong(Wide::low).sum();
        KEPT.add(List.of(hashed, shared, sorted, same));
    }

    static String refused(Callable<?> what) {
        try {
            what.call();
            return "nothing";
        } catch (Exception error) {
            return error.getClass().getSimpleName();
        }
    }

    static Object locked(Object object) {
        synchronized (object) {
            return object;
        }
    }

    static void refuse() {
        for (Object value : new Object[] {new Spot((short) 1, (short) 1), nested(1), new Nothing(), new Flat(1), 5, Optional.of(1)}) {
            String[] all = {
                refused(() -> locked(value)),
                refused(() -> {
                    value.wait(1);
                    return null;
                }),
                refused(() -> {
                    value.notifyAll();
                    return null;
                }),
                refused(() -> new WeakReference<>(value)),
                refused(() -> new SoftReference<>(value)),
                refused(() -> new PhantomReference<>(value, new ReferenceQueue<>())),
                refused(() -> new WeakHashMap<Object, Object>().put(value, value)),
            };
            expect(String.join(" ", all).equals("IdentityException IllegalMonitorStateException IllegalMonitorStateException "
                + "IdentityException IdentityException IdentityException IdentityException"), value + ": " + Arrays.toString(all));
        }
        expect(locked(new Solid()) != null, "one with identity below an abstract value class");
        AtomicReference<Object> changed = new AtomicReference<>(new Spot((short) 1, (short) 1));
        expect(changed.compareAndSet(new Spot((short) 1, (short) 1), staticSpot), "compareAndSet compares values");
        expect(System.identityHashCode(new Spot((short) 3, (short) 4)) == System.identityHashCode(new Spot((short) 3, (short) 4)), "hash");
    }

    static void threads(int count) throws Exception {
        ArrayBlockingQueue<Name> names = new ArrayBlockingQueue<>(count);
        ReentrantLock lock = new ReentrantLock();
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            Runnable task = new Task(number, names, lock);
            threads.add(number % 4 == 0 ? new Thread(task) : Thread.ofVirtual().unstarted(task));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        // All of them wait, with a task that has no identity as the receiver.
        Thread.sleep(20);
        System.gc();
        for (int number = 0; number < count; number++) {
            names.put(new Name("task " + number));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Spot>> made = new ArrayList<>();
            for (int number = 0; number < count; number++) {
                made.add(pool.submit((Callable<Spot>) new Task(number, names, lock)));
            }
            for (Future<Spot> one : made) {
                sum += one.get().x;
            }
        }
    }

    static void expect(boolean holds, String what) {
        if (!holds) {
            System.out.println("WRONG " + what);
        }
    }

    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[0]);
        int length = Integer.parseInt(arguments[1]);
        Link links = null;
        for (int number = 0; number < length; number++) {
            links = new Link(number, links);
        }
        KEPT.add(links);
        for (int round = 0; round < rounds; round++) {
            hold(round);
            collect(round);
            sum += LOCAL.get().text().length();
            if (round % 10 == 0) {
                threads(20);
                KEPT.subList(1, KEPT.size() / 2).clear();
            }
        }
        refuse();
        CountDownLatch waits = new CountDownLatch(1);
        Thread last = Thread.ofVirtual().start(() -> {
            Nested mine = nested(1000);
            try {
                waits.await();
            } catch (InterruptedException error) {
                throw new IllegalStateException(error);
            }
            sum += mine.from.x;
        });
        System.gc();
        waits.countDown();
        last.join();
        System.out.println("done " + counted + " " + (sum != 0) + " " + staticNested.wide.held);
    }
}

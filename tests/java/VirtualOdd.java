import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * What virtual threads come to besides, on a JDK that has them: {@code odd 10} all ways to start
 * one, pinned ones and scopes, so often; {@code collected 6000} so many that are parked for ever,
 * until they are collected, and as many again; {@code older 1000} so many that wait and some that
 * run, until the file {@code end} is there; {@code sampled 0} the same until HPROF's sampler has looked, too.
 */
public class VirtualOdd {
    static final AtomicLong WORKS = new AtomicLong();
    static final ThreadLocal<String> OWN = ThreadLocal.withInitial(() -> Thread.currentThread().getName());
    static final InheritableThreadLocal<String> PARENTS = new InheritableThreadLocal<>();
    static CountDownLatch pinned, unpin;
    static volatile boolean stop;
    static volatile Object sink;
    static volatile long spun;

    /** A frame of the VM's lies between an initializer and who needs it: what waits there is pinned. */
    static class Pins {
        static {
            pinned.countDown();
            await(unpin);
        }

        static void touch() {}
    }

    static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static int work(int number) {
        WORKS.incrementAndGet();
        sink = new int[number];
        Thread.yield();
        if (!OWN.get().equals(Thread.currentThread().getName())) {
            throw new AssertionError("another thread's value");
        }
        return number;
    }

    static void executors(int round) throws Exception {
        Method make = Executors.class.getMethod("newVirtualThreadPerTaskExecutor");
        ExecutorService tasks = (ExecutorService) make.invoke(null);
        List<Future<Integer>> results = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            int number = i;
            results.add(tasks.submit(() -> work(number)));
        }
        for (int i = 0; i < results.size(); i++) {
            if (results.get(i).get() != i) {
                throw new AssertionError("task " + i);
            }
        }
        tasks.shutdown();
    }

    /** As JDK 21 has it, and 25. */
    static void scope() throws Exception {
        Class<?> type = Class.forName("java.util.concurrent.StructuredTaskScope");
        Object scope;
        try {
            scope = type.getMethod("open").invoke(null);
        } catch (NoSuchMethodException e) {
            scope = type.getConstructor().newInstance();
        }
        for (int i = 0; i < 5; i++) {
            int number = i;
            type.getMethod("fork", Callable.class).invoke(scope, (Callable<Integer>) () -> work(number));
        }
        type.getMethod("join").invoke(scope);
        type.getMethod("close").invoke(scope);
    }

    static void odd(int rounds) throws Exception {
        pinned = new CountDownLatch(1);
        unpin = new CountDownLatch(1);
        Thread waits = VirtualThreads.start("pinned", Pins::touch);
        await(pinned);
        // What a sampler, or the agent, does to it goes on beside all else.
        for (int i = 0; i < rounds; i++) {
            PARENTS.set("round " + i);
            String expected = "round " + i;
            Thread later = VirtualThreads.unstarted("later", () -> {
                if (!expected.equals(PARENTS.get())) {
                    throw new AssertionError("no value of the parent's");
                }
                work(7);
            });
            later.start();
            later.join();
            executors(i);
            scope();
            Thread interrupted = VirtualThreads.start("interrupted", () -> {
                try {
                    Thread.sleep(100_000);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            interrupted.interrupt();
            interrupted.join();
        }
        unpin.countDown();
        waits.join();
    }

    static void collected(int count) throws Exception {
        CountDownLatch parked = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            VirtualThreads.start("lost", () -> {
                work(1);
                parked.countDown();
                while (true) {
                    LockSupport.park();
                }
            });
        }
        await(parked);
        System.gc();
        System.gc();
        for (int i = 0; i < count; i++) {
            VirtualThreads.start("after", () -> work(2)).join();
        }
    }

    static boolean ended() {
        return new File("end").exists();
    }

    static boolean hasLooked() {
        try {
            return VirtualCrowd.waits(VirtualCrowd.sampler()) > 200;
        } catch (IOException e) {
            // It has not begun.
            return false;
        }
    }

    /** Comes to no event, and does not leave its carrier. */
    static void spins(CountDownLatch ready) {
        ready.countDown();
        while (!stop) {
            spun++;
        }
    }

    static void older(int count, boolean sampled) throws Exception {
        CountDownLatch ready = new CountDownLatch(count + 3), end = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            threads.add(VirtualThreads.start("waits", () -> {
                ready.countDown();
                await(end);
                work(3);
            }));
        }
        for (int i = 0; i < 2; i++) {
            threads.add(VirtualThreads.start("runs", () -> {
                ready.countDown();
                while (!stop) {
                    work(4);
                }
            }));
        }
        threads.add(VirtualThreads.start("spins", () -> spins(ready)));
        await(ready);
        System.out.println("ready");
        while (!ended() || sampled && !hasLooked()) {
            Thread.sleep(5);
        }
        WORKS.set(0);
        stop = true;
        end.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Thread.setDefaultUncaughtExceptionHandler((thread, exception) -> {
            if (!(exception instanceof IllegalStateException)) {
                System.out.println(exception);
            }
        });
        int count = Integer.parseInt(arguments[1]);
        switch (arguments[0]) {
            case "odd":
                odd(count);
                break;
            case "collected":
                collected(count);
                break;
            default:
                older(count, arguments[0].equals("sampled"));
        }
        System.out.println("work " + WORKS);
        System.out.println("done");
    }
}

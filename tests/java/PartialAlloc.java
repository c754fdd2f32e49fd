import java.io.File;
import java.util.concurrent.CountDownLatch;

/**
 * Allocates in five phases with a class each: {@code PartialAlloc THREADS N}. For
 * the second and the fourth it asks for events with a file `enable1`, `enable2`
 * and waits for the answer `enabled1`; likewise `disable1`. Without an agent:
 * {@code PartialAlloc THREADS N alone}. What each phase cost is said on stderr.
 */
public class PartialAlloc {
    static class PhaseA { int field; }
    static class PhaseB { int field; }
    static class PhaseC { int field; }
    static class PhaseD { int field; }
    static class PhaseE { int field; }

    static volatile Object sink;
    static boolean alone;

    abstract static class Phase {
        abstract Object make();

        void loop(int number) {
            for (int i = 0; i < number; i++) {
                sink = make();
            }
        }
    }

    static final Phase[] PHASES = {
        new Phase() { Object make() { return new PhaseA(); } },
        new Phase() { Object make() { return new PhaseB(); } },
        new Phase() { Object make() { return new PhaseC(); } },
        new Phase() { Object make() { return new PhaseD(); } },
        new Phase() { Object make() { return new PhaseE(); } },
    };

    /** The same threads all along: their buffers survive each switch. */
    static class Worker extends Thread {
        final int number;
        final CountDownLatch[] go;
        final CountDownLatch[] done;

        Worker(int index, int number, CountDownLatch[] go, CountDownLatch[] done) {
            super("phase-" + index);
            this.number = number;
            this.go = go;
            this.done = done;
        }

        public void run() {
            try {
                for (int phase = 0; phase < PHASES.length; phase++) {
                    go[phase].await();
                    PHASES[phase].loop(number);
                    done[phase].countDown();
                }
            } catch (InterruptedException e) {
                e.printStackTrace();
            }
        }
    }

    static void ask(String question, String answer) throws Exception {
        if (alone) {
            return;
        }
        if (!new File(question).createNewFile()) {
            throw new IllegalStateException(question);
        }
        while (!new File(answer).exists()) {
            Thread.sleep(5);
        }
    }

    public static void main(String[] arguments) throws Exception {
        int threads = Integer.parseInt(arguments[0]);
        int number = Integer.parseInt(arguments[1]);
        alone = arguments.length > 2;
        CountDownLatch[] go = new CountDownLatch[PHASES.length];
        CountDownLatch[] done = new CountDownLatch[PHASES.length];
        for (int i = 0; i < PHASES.length; i++) {
            go[i] = new CountDownLatch(1);
            done[i] = new CountDownLatch(threads);
        }
        for (int t = 0; t < threads; t++) {
            new Worker(t, number, go, done).start();
        }
        for (int phase = 0; phase < PHASES.length; phase++) {
            if (phase > 0) {
                int round = (phase + 1) / 2;
                if (phase % 2 == 1) {
                    ask("enable" + round, "enabled" + round);
                } else {
                    ask("disable" + round, "disabled" + round);
                }
            }
            long from = System.nanoTime();
            go[phase].countDown();
            done[phase].await();
            long took = System.nanoTime() - from;
            System.err.println("phase " + (char) ('A' + phase) + " " + took / number + " ns a round");
        }
        for (int phase = 0; phase < PHASES.length; phase++) {
            System.out.println("COUNT PartialAlloc$Phase" + (char) ('A' + phase) + " " + (long) number * threads);
        }
    }
}

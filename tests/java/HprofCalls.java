/** Calls known methods known numbers of times, in every way to come and go. */
public class HprofCalls {
    static int leaf(int x) {
        return x + 1;
    }

    static int mid(int x) {
        int sum = 0;
        for (int i = 0; i < 10; i++) {
            sum += leaf(x + i);
        }
        return sum;
    }

    static int down(int n) {
        return n == 0 ? 0 : down(n - 1) + 1;
    }

    static void thrower(int n) {
        if (n == 0) {
            throw new IllegalStateException("deep");
        }
        thrower(n - 1);
    }

    static void sleepy() throws InterruptedException {
        Thread.sleep(300);
    }

    static long burn() {
        long start = java.lang.System.nanoTime();
        long sum = 0;
        // Some work in any case, on a machine that gives it little of the time; also interpreted far less than the time.
        for (int rounds = 0; rounds < 6 || java.lang.System.nanoTime() - start < 400_000_000L; rounds++) {
            for (int i = 0; i < 1_000_000; i++) {
                sum += i * sum ^ i;
            }
        }
        return sum;
    }

    public static void main(String[] words) throws Exception {
        int sum = 0;
        for (int i = 0; i < 1000; i++) {
            sum += mid(i);
        }
        for (int i = 0; i < 100; i++) {
            sum += down(50);
        }
        for (int i = 0; i < 10; i++) {
            try {
                thrower(5);
            } catch (IllegalStateException e) {
                sum++;
            }
        }
        Thread[] workers = new Thread[4];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Thread("worker-" + i) {
                @Override
                public void run() {
                    for (int k = 0; k < 50; k++) {
                        mid(k);
                    }
                }
            };
            workers[i].start();
        }
        for (Thread worker : workers) {
            worker.join();
        }
        sleepy();
        sum += burn() == 1 ? 1 : 0;
        System.out.println(sum == 0 ? "nothing" : "done");
    }
}

import java.io.File;

/** So many threads, eight at a time; waits to be told to end. */
public class ManyThreads {
    public static void main(String[] words) throws Exception {
        int all = Integer.parseInt(words[0]);
        Thread[] threads = new Thread[8];
        for (int number = 0; number < all; number++) {
            int place = number % threads.length;
            if (threads[place] != null) {
                threads[place].join();
            }
            if (number == all / 5) {
                System.out.println("a fifth");
            }
            if (number == all / 5 * 3) {
                System.out.println("three fifths");
            }
            threads[place] = new Thread("one");
            threads[place].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("all");
        File end = new File("end");
        while (!end.exists()) {
            Thread.sleep(5);
        }
    }
}

import java.util.concurrent.CountDownLatch;

/**
 * For the agent {@code virtual_ids}: virtual threads whose objects are in fields, before they start, while they
 * live and afterwards. In the second round a walk over the heap comes before anybody asks for the latter; with
 * {@code walks}, one comes before anybody asks for those that have not started.
 */
public class VirtualIds {
    static Thread early, parked, ended;
    static CountDownLatch end;

    static void parks(CountDownLatch parks) {
        parks.countDown();
        try {
            end.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static void early(int round, boolean walks) throws Exception {
        early = VirtualThreads.unstarted("early " + round, () -> {});
        if (walks) {
            Native.check("walk");
        }
        Native.check("early " + round);
        early.start();
        early.join();
    }

    static void begin(int round) throws Exception {
        CountDownLatch parks = new CountDownLatch(1), end = new CountDownLatch(1);
        VirtualIds.end = end;
        parked = VirtualThreads.start("parked " + round, () -> parks(parks));
        ended = VirtualThreads.start("ended " + round, () -> {});
        ended.join();
        parks.await();
    }

    static void end() throws Exception {
        end.countDown();
        parked.join();
    }

    public static void main(String[] arguments) throws Exception {
        String[] before = {"nothing", "walk", "nothing"};
        for (int round = 0; round < before.length; round++) {
            early(round, arguments[0].equals("walks"));
            begin(round);
            Native.check(before[round]);
            Native.check("ids " + round);
            end();
            Native.check("ids " + round);
            early = parked = ended = null;
            VirtualThreads.start("nobody's " + round, () -> {}).join();
        }
        end = null;
        Native.check("deaths " + before.length);
        System.out.println("done");
    }
}

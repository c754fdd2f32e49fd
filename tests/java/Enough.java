import java.io.File;

/** Programs that go on until an agent has seen enough of them, which takes longer on a machine with much else to do. */
class Enough {
    /** The agent says so by a file; 40 s behind this moment, in nanoseconds, it has had its time. */
    static boolean isSeen(long since) {
        return new File("enough").exists() || System.nanoTime() - since > 40_000_000_000L;
    }
}

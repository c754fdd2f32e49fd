/** The program's way into the test's agent. */
public class Native {
    static {
        System.load(System.getProperty("agent"));
    }

    static native void check(String what);

    /** Sleeps in native code. */
    static native void rest(int millis);
}

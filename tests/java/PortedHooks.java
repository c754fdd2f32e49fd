/** What the code that {@code agents/ported_woven.c} hands to the VM calls: its natives. */
public class PortedHooks {
    static native void enter(int method);

    static native void exit(int method);

    static native void unwind(int method);
}

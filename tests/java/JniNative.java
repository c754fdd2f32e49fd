/** A native method that an agent registers. */
public class JniNative {
    static native int length(String text);
}

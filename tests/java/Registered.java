/** Native methods whose functions an agent registers: each type, and more arguments than registers have room for. */
public class Registered {
    static native long whole(boolean z, byte b, char c, short s, int i, long j, int k, long l);
    static native double floating(float a, double b, float c, double d, float e, double f, float g, double h,
        float i, double j, int k, long l, int m, long n, int o);
    static native float half(float value);
    static native byte narrow(int value);
    static native boolean isSmall(double value);
    static native void refuse();
    native String append(String text, int[] numbers);

    private final String name = "this ";

    /** Which of them answer as they should, a bit each. */
    static int check() {
        int right = 0;
        if (whole(true, (byte) -3, '\u20ac', (short) -300, -70000, 1L << 40, 7, -1L << 33)
            == 1 - 3 + 0x20ac - 300 - 70000 + (1L << 40) + 7 - (1L << 33)) right |= 1;
        if (floating(1, 2, 3, 4, 5, 6, 7, 8, 9.5f, 10.25, 11, 1L << 34, 13, -1L << 35, 15)
            == 1 + 2 * 2 + 3 * 3 + 4 * 4 + 5 * 5 + 6 * 6 + 7 * 7 + 8 * 8 + 9 * 9.5 + 10 * 10.25
                + 11 + (1L << 34) + 13 - (1L << 35) + 15) right |= 2;
        if (half(-0.75f) == -0.375f && half(Float.POSITIVE_INFINITY) == Float.POSITIVE_INFINITY) right |= 4;
        if (narrow(0x12345680) == -128 && narrow(5) == 5) right |= 8;
        if (isSmall(0.5) && !isSmall(-1e300)) right |= 16;
        try {
            refuse();
        } catch (IllegalStateException refused) {
            if ("refused".equals(refused.getMessage())) right |= 32;
        }
        Registered one = new Registered();
        if ("this text 6".equals(one.append("text ", new int[] {1, 2, 3}))) right |= 64;
        if (one.append(null, null) == null) right |= 128;
        return right;
    }
}

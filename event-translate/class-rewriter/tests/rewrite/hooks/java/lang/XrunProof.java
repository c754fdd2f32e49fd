package java.lang;

/** Hooks that count and, for the watched thread, check that calls nest. */
public final class XrunProof {
    public static long entered, left, unwound, lost, instructions, branches;
    public static Thread watched;
    public static int depth;
    private static int[] stack;

    private XrunProof() {}

    public static void enter(int number) {
        entered++;
        if (watched != null && watched == Thread.currentThread()) {
            if (stack == null) {
                stack = new int[1 << 20];
            }
            stack[depth++] = number;
        }
    }

    private static void pop(int number) {
        if (watched != null && watched == Thread.currentThread()) {
            // What is above it left unseen.
            while (depth > 0 && stack[--depth] != number) {
                lost++;
            }
        }
    }

    public static void enter2(Object receiver, int number) { enter(number); }
    public static void exit(int number) { left++; pop(number); }
    public static void unwind(int number) { unwound++; pop(number); }
    public static void instruction(int number, int index) { instructions++; }
    public static void ifInt(int value, int number, int index) { branches++; }
    public static void ifInts(int first, int second, int number, int index) { branches++; }
    public static void ifReference(Object value, int number, int index) { branches++; }
    public static void ifReferences(Object first, Object second, int number, int index) { branches++; }
    public static void leaves(Object monitor) { monitor.getClass(); }
    public static void leavesCaller() { branches++; }
    public static void choose(int key, int number, int index) { branches++; }
}

package java.lang;

/** Hooks that count. */
public final class XrunProof {
    public static long entered, left, unwound, instructions, branches;

    private XrunProof() {}

    public static void enter(int number) { entered++; }
    public static void enter2(Object receiver, int number) { entered++; }
    public static void exit(int number) { left++; }
    public static void unwind(int number) { unwound++; }
    public static void instruction(int number, int index) { instructions++; }
    public static void ifInt(int value, int number, int index) { branches++; }
    public static void ifInts(int first, int second, int number, int index) { branches++; }
    public static void ifReference(Object value, int number, int index) { branches++; }
    public static void ifReferences(Object first, Object second, int number, int index) { branches++; }
    public static void choose(int key, int number, int index) { branches++; }
}

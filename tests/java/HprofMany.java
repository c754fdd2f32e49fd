/** Keeps so many objects that a dump of them fits into no socket's buffers. */
public class HprofMany {
    HprofMany next;
    Object other;

    static HprofMany first;

    public static void main(String[] words) {
        for (int i = 0; i < 300_000; i++) {
            HprofMany one = new HprofMany();
            one.next = first;
            one.other = first;
            first = one;
        }
        System.out.println("done");
    }
}

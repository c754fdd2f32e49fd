/** Keeps so many objects that a dump of them fits into no socket's buffers. With an argument it waits to be told to exit. */
public class HprofMany {
    HprofMany next;
    Object other;

    static HprofMany first;

    public static void main(String[] words) throws Exception {
        for (int i = 0; i < 300_000; i++) {
            HprofMany one = new HprofMany();
            one.next = first;
            one.other = first;
            first = one;
        }
        if (words.length > 0) {
            Dumped.main(new String[0]);
            System.exit(0);
        }
        System.out.println("done");
    }
}

/** Runs the parts of other programs for the tests of neighbours. */
public class Weighed {
    public static void main(String[] arguments) throws Exception {
        Busy.main(new String[0]);
        Patched.main(new String[0]);
    }
}

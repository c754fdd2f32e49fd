/** The branches of a class that is loaded between others without methods. */
public class BranchesBehind {
    interface Before { }
    interface Behind { }

    public static void main(String[] arguments) throws Exception {
        Before.class.getName();
        Class.forName("Branches");
        Behind.class.getName();
        Branches.main(arguments);
    }
}

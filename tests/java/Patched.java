/** Says what the class-file hook makes of it. */
public class Patched {
    public static void main(String[] arguments) throws Exception {
        System.out.println(word());
        System.out.println(Other.word());
        // A class of the JDK that is loaded before any agent.
        System.out.println(new Exception("x").toString() + " " + Integer.toString(5));
        System.out.println(String.valueOf((Object) null));
    }

    static String word() {
        return "original-1";
    }

    static class Other {
        static String word() {
            return "original-2";
        }
    }
}

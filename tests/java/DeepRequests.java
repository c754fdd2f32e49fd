/** Calls itself to the stack's end; the agent asks for a dump of an object at each call. */
public class DeepRequests {
    static int deeper(int depth) {
        return deeper(depth + 1) + 1;
    }

    public static void main(String[] arguments) {
        int ends = 0;
        for (int i = 0; i < 3; i++) {
            try {
                deeper(0);
            } catch (StackOverflowError e) {
                ends++;
            }
        }
        Native.check("");
        System.out.println(ends + " times");
    }
}

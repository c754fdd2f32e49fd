/** Nanoseconds of a call of a method, of so many. */
public class BridgeBench {
    static int sum;

    static void called(int number) {
        sum += number;
    }

    static double time(int calls) {
        long start = System.nanoTime();
        for (int call = 0; call < calls; call++) {
            called(call);
        }
        return (double) (System.nanoTime() - start) / calls;
    }

    public static void main(String[] words) {
        int calls = Integer.parseInt(words[0]);
        time(calls / 10);
        System.out.println(time(calls));
    }
}

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;

/** Calls a method through lambdas and method handles. */
public class Handles {
    static int calls;

    static int leaf(int number) {
        calls++;
        int sum = number;
        for (int i = 0; i < 200; i++)
            sum = sum * 31 + i;
        return sum;
    }

    static int twice(int number) {
        return leaf(number) + leaf(-number);
    }

    public static void main(String[] args) throws Throwable {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 300;
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        MethodType type = MethodType.methodType(int.class, int.class);
        MethodHandle leaf = lookup.findStatic(Handles.class, "leaf", type);
        MethodHandle twice = lookup.findStatic(Handles.class, "twice", type);
        MethodHandle both = MethodHandles.filterReturnValue(twice, leaf);
        MethodHandle boxed = leaf.asType(MethodType.methodType(Object.class, Object.class));
        MethodHandle bound = MethodHandles.insertArguments(leaf, 0, 7);
        List<Integer> numbers = Arrays.asList(1, 2, 3, 4);
        IntUnaryOperator reference = Handles::leaf;
        long sum = 0;
        for (int round = 0; round < rounds; round++) {
            int captured = round;
            IntUnaryOperator lambda = number -> leaf(number + captured);
            sum += numbers.stream().mapToInt(number -> lambda.applyAsInt(number)).map(reference).sum();
            sum += (int) both.invokeExact(round) + (int) (Object) boxed.invoke((Object) round);
            sum += (int) bound.invokeExact() + (Integer) leaf.invokeWithArguments(round);
        }
        System.out.println("calls " + calls);
    }
}

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/** What JDKs make classes for while a program runs: lambdas, proxies, reflection, joined strings. */
public class MadeNames {
    interface Near {
        int more(int number);
    }

    public interface Far {
        int more(int number);
    }

    static int calls;

    static int called(int number) {
        return number + calls++;
    }

    private static <T> T proxy(Class<T> type) {
        InvocationHandler handler = (proxy, method, arguments) -> (Integer) arguments[0] + 1;
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    public static void main(String[] arguments) throws Exception {
        int count = 50;
        IntUnaryOperator next = number -> number + 1;
        Supplier<String> text = () -> "counted to " + count;
        Near near = proxy(Near.class);
        Far far = proxy(Far.class);
        Method called = MadeNames.class.getDeclaredMethod("called", int.class);
        for (int number = 0; number < count; number++) {
            called.invoke(null, next.applyAsInt(near.more(number) + far.more(number)));
        }
        Thread thread = new Thread(() -> System.out.println(text.get()), "teller");
        thread.start();
        thread.join();
    }
}

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** What compilers of today make of methods; Period is for those of the past. */
public class Modern {
    @Target(ElementType.TYPE_USE)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Mark {
        String[] value() default {};

        Class<?> type() default Object.class;
    }

    enum Colour { RED, GREEN { int number() { return 2; } }; int number() { return 1; } }

    record Point<T>(int x, T y) {}

    interface Shape { default int area() { return side() * side(); } int side(); static Shape of(int n) { return () -> n; } }

    static int count;
    final long sum;

    Modern(long a, Object b) {
        this(b == null ? a : a + 1, switch ((int) a) { case 1 -> new int[] {1}; case 7, 8 -> throw new IllegalStateException(); default -> a < 0 ? null : new int[(int) a]; });
    }

    Modern(long sum, int[] more) { super(); this.sum = sum + (more == null ? 0 : more.length); }

    static <T extends Comparable<T>> int typed(Object o) throws Exception {
        @Mark({"a", "b"}) List<@Mark String> list = new @Mark ArrayList<@Mark String>();
        for (int i = 0; i < 3; i++) {
            @Mark(type = int.class) String s = (@Mark String) ("x" + i);
            list.add(s);
        }
        try (AutoCloseable c = () -> count++) {
            if (o instanceof @Mark String s && !s.isEmpty()) return s.length();
        } catch (@Mark RuntimeException e) {
            return -1;
        }
        Supplier<List<String>> made = ArrayList<@Mark String>::new;
        return made.get().size() + list.size();
    }

    static int text(String s) {
        switch (s) { case "a": return 1; case "Aa": case "BB": return 2; default: return 3; }
    }

    static int colour(Colour c) { return switch (c) { case RED -> c.number(); case GREEN -> c.number() * 10; }; }

    static long fib(long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

    static int caught(int n) {
        int total = 0;
        while (true) {
            try {
                if (n-- < 0) return total;
                total += 10 / n;
            } catch (ArithmeticException e) {
                total += 100;
            } finally {
                count++;
            }
        }
    }

    static int many(int n) {
        int a = 1, b = 2, c = 3; double d = n;
        outer: for (int i = 0; i < n; i++) { for (int j = 0; j < i; j++) { if ((i ^ j) % 5 == 4) continue outer; if (d > 40) break outer; d += a + b - c + (j > 2 ? 1.5f : 2L); } }
        synchronized (Modern.class) { if (d > 10) return (int) d; }
        return -n;
    }

    public static void main(String[] args) throws Exception {
        StringBuilder out = new StringBuilder();
        out.append(typed("abc")).append(' ').append(typed(1)).append(' ').append(text("a") + text("BB") + text("")).append(' ');
        for (Colour c : Colour.values()) out.append(colour(c)).append(' ');
        out.append(fib(12)).append(' ').append(caught(3)).append(' ').append(many(9)).append(' ').append(many(1)).append(' ');
        out.append(new Point<>(1, "y")).append(new Point<>(1, 2).equals(new Point<>(1, 2))).append(Shape.of(4).area()).append(' ');
        for (long a : new long[] {1, 3, 7, -1}) {
            try {
                out.append(new Modern(a, a == 3 ? null : out).sum).append(' ');
            } catch (IllegalStateException e) {
                out.append("thrown ");
            }
        }
        System.out.println(out.append(count));
    }
}

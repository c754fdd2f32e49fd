import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/**
 * {@code SuperBudget LOG}: makes objects until the log says that {@code Base}'s constructor has no events any more, then
 * loads a class whose super() throws. Says how many were made of the one whose constructor another calls.
 */
public class SuperBudget {
    static int sink;
    static final IllegalArgumentException THROWN = new IllegalArgumentException();

    static int half(int n) {
        if (n < 0) {
            throw THROWN;
        }
        return n / 2;
    }

    /** Nobody calls this constructor by super() until {@link LaterBelow} is there. */
    static class Base {
        final int value;

        Base(int n) { value = half(n); }
    }

    static class Parent {
        final int value;

        Parent(int n) { value = half(n); }
    }

    static class Child extends Parent {
        Child(int n) { super(n); }
    }

    static int round() {
        int sum = 0;
        for (int i = 0; i < 100_000; i++) {
            sum += new Base(i).value + new Child(i).value;
        }
        return sum;
    }

    public static void main(String[] arguments) throws IOException {
        Path log = Paths.get(arguments[0]);
        int rounds = 0;
        // An earlier look may have found others, of the VM's start.
        while (!new String(Files.readAllBytes(log)).contains("SuperBudget$Base.<init>")) {
            sink += round();
            rounds++;
        }
        LaterBelow.run();
        System.out.println("CALLS " + rounds * 100_000L);
    }
}

class LaterBelow extends SuperBudget.Base {
    LaterBelow(int n) { super(n); }

    /** Its frames lie below that of the constructor. */
    static void deep(int depth) {
        if (depth > 0) {
            deep(depth - 1);
        }
    }

    static void run() {
        for (int i = 0; i < 400; i++) {
            try {
                new LaterBelow(-1);
            } catch (IllegalArgumentException e) {
                deep(3);
            }
        }
    }
}

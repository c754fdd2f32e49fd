package zoo;

import java.util.concurrent.Callable;

/** Has what compilers of today make of lambdas and of texts. */
public class Cat extends Animal {
    @Override
    public String call() {
        Callable<String> purr = () -> "purr";
        try {
            return "a cat ate " + eat(3) + ": " + purr.call();
        } catch (Exception none) {
            return none.toString();
        }
    }
}

/** What the animals have in common. */
abstract class Animal implements Callable<String> {
    private int eaten;

    int eat(int meals) {
        for (int i = 0; i < meals; i++) {
            synchronized (this) {
                eaten += new Food(i).weight();
            }
        }
        try {
            full();
        } catch (IllegalStateException full) {
            eaten++;
        }
        return eaten;
    }

    private static synchronized void full() {
        throw new IllegalStateException();
    }
}

class Food {
    private final int weight;

    Food(int weight) {
        this.weight = weight;
    }

    int weight() {
        return weight;
    }
}

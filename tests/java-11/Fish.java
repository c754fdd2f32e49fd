package zoo;

/** Needs little. */
public class Fish extends Animal {
    @Override
    public String call() {
        return "a fish ate ".concat(Integer.toString(eat(4)));
    }
}

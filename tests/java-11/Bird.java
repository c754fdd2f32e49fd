package zoo;

/** Needs little. */
public class Bird extends Animal {
    @Override
    public String call() {
        return "a bird ate ".concat(Integer.toString(eat(2)));
    }
}

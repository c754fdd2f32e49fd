package zoo;

/** Needs little. */
public class Mouse extends Animal {
    @Override
    public String call() {
        return "a mouse ate ".concat(Integer.toString(eat(1)));
    }
}

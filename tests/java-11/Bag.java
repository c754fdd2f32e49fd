package zoo;

/** Extends a class of the JDK. */
public class Bag extends java.util.ArrayList<String> {
    @Override
    public String toString() {
        return "a bag of ".concat(Integer.toString(size()));
    }
}

/** A value class: its fields are set before the superclass's constructor is called, on two ways, and one may fail. */
public value class Value {
    final int number;
    final Object held;

    Value(int number, Object held) {
        if (number < 0) {
            throw new IllegalArgumentException("negative");
        }
        this.number = number;
        this.held = held == null ? "nothing" : held;
        super();
    }

    Value with(Value other) {
        return other.number > number ? new Value(other.number, this) : this;
    }

    /** Its constructor has no branch, so no frame either. */
    value record Pair(Value first, Value second) {
    }

    public static void main(String[] arguments) {
        Value two = new Value(2, null);
        Pair pair = new Pair(two, two.with(new Value(3, "held")));
        System.out.println(pair.first.held + " " + pair.second.number + " " + (pair.second.held == (Object) new Value(2, null)));
        try {
            new Value(-1, two);
        } catch (IllegalArgumentException error) {
            System.out.println(error.getMessage());
        }
    }
}

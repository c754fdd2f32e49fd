/** More value objects than a VM can tell apart, a list of equal ones that no stack is deep enough for, and a few. */
public class ManyValues {
    static class Marker {
    }

    value record Few(int number) {
    }

    value record Many(int number, Marker marker) {
    }

    /** All are equal but for how many follow. */
    value record Link(Marker marker, Link next) {
    }

    static final Object[] FEW = new Object[100];
    static final Object[] MANY = new Object[100_000];
    static final Integer[] BOXED = new Integer[100_000];
    static Link list;

    public static void main(String[] arguments) {
        for (int number = 0; number < FEW.length; number++) {
            FEW[number] = new Few(number);
        }
        for (int number = 0; number < MANY.length; number++) {
            MANY[number] = new Many(number, number % 1000 == 0 ? new Marker() : null);
            BOXED[number] = number;
        }
        for (int number = 0; number < 100_000; number++) {
            list = new Link(null, list);
        }
        list = new Link(new Marker(), list);
        System.out.println("made");
    }
}

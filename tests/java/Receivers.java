/** Methods with a receiver and without. */
public class Receivers {
    static Object staticObject(Object first) {
        return first;
    }

    static int staticNumber(int first) {
        return first;
    }

    static void staticArray(Object[] first) {
    }

    static void staticOwn(Receivers first) {
    }

    static void staticNone() {
    }

    Object own(Object first) {
        return first;
    }

    synchronized long locked(long first, double second) {
        return first;
    }

    final void last() {
    }

    public static void main(String[] arguments) {
        Receivers one = new Receivers();
        staticObject("first");
        staticNumber(1);
        staticArray(new Object[1]);
        staticOwn(one);
        staticNone();
        one.own(arguments);
        one.locked(1, 2);
        one.last();
        Native.check("");
        System.out.println("done");
    }
}

import java.lang.reflect.InvocationTargetException;

/** Runs CLASS's main and says what the hooks of {@code java.lang.XrunProof} counted. */
public class Count {
    public static void main(String[] args) throws Exception {
        XrunProof.watched = Thread.currentThread();
        try {
            Class.forName(args[0]).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
        } catch (InvocationTargetException e) {
            System.out.println("main threw " + e.getCause());
        }
        XrunProof.watched = null;
        System.out.println("entered " + XrunProof.entered + " left " + XrunProof.left + " unwound " + XrunProof.unwound
                + " lost " + XrunProof.lost + " depth " + XrunProof.depth
                + " instructions " + XrunProof.instructions + " branches " + XrunProof.branches);
    }
}

/** What calls of JNI have to do with: fields and methods of each type, of an object and of a class. */
public class JniAll {
    static class Below extends JniAll {
        boolean ofZ(boolean v, long more) {
            return (boolean) v;
        }

        byte ofB(byte v, long more) {
            return (byte) v;
        }

        char ofC(char v, long more) {
            return (char) v;
        }

        short ofS(short v, long more) {
            return (short) v;
        }

        int ofI(int v, long more) {
            return (int) v;
        }

        long ofJ(long v, long more) {
            return (long) v;
        }

        float ofF(float v, long more) {
            return (float) v;
        }

        double ofD(double v, long more) {
            return (double) v;
        }

        Object ofL(Object v, long more) {
            return this;
        }

        void ofV(int v, long more) {
            said += "below " + v + " " + more + "; ";
        }
    }

    static String said = "";

    boolean fieldZ;
    static boolean staticZ;
    byte fieldB;
    static byte staticB;
    char fieldC;
    static char staticC;
    short fieldS;
    static short staticS;
    int fieldI;
    static int staticI;
    long fieldJ;
    static long staticJ;
    float fieldF;
    static float staticF;
    double fieldD;
    static double staticD;
    Object fieldL;
    static Object staticL;

    JniAll() {
    }

    JniAll(int first, double second, Object third) {
        fieldI = first;
        fieldD = second;
        fieldL = third;
    }

    static String said() {
        return said;
    }

    boolean ofZ(boolean v, long more) {
        return !v;
    }

    static boolean staticZ(boolean v, long more) {
        return !v;
    }

    byte ofB(byte v, long more) {
        return (byte) (v + 1);
    }

    static byte staticB(byte v, long more) {
        return (byte) (v + 1);
    }

    char ofC(char v, long more) {
        return (char) (v + 1);
    }

    static char staticC(char v, long more) {
        return (char) (v + 1);
    }

    short ofS(short v, long more) {
        return (short) (v + 1);
    }

    static short staticS(short v, long more) {
        return (short) (v + 1);
    }

    int ofI(int v, long more) {
        return v + 1;
    }

    static int staticI(int v, long more) {
        return v + 1;
    }

    long ofJ(long v, long more) {
        return v + 1;
    }

    static long staticJ(long v, long more) {
        return v + 1;
    }

    float ofF(float v, long more) {
        return v / 2;
    }

    static float staticF(float v, long more) {
        return v / 2;
    }

    double ofD(double v, long more) {
        return v / 2;
    }

    static double staticD(double v, long more) {
        return v / 2;
    }

    Object ofL(Object v, long more) {
        return v;
    }

    static Object staticL(Object v, long more) {
        return v;
    }

    void ofV(int v, long more) {
        said += "own " + v + " " + more + "; ";
    }

    static void staticV(int v, long more) {
        said += "static " + v + " " + more + "; ";
    }

    /** Whether the VM loads this library for Java code. */
    static boolean loads(String library) {
        try {
            System.load(library);
            return true;
        } catch (UnsatisfiedLinkError refused) {
            return false;
        }
    }
}

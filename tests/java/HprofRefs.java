import java.net.InetAddress;

/** Its native methods make global references of JNI's. */
public class HprofRefs {
    public static void main(String[] words) throws Exception {
        InetAddress.getLoopbackAddress();
        System.out.println("done");
    }
}

/** Waits to be told to end: for kill -QUIT. */
public class Dumped {
    public static void main(String[] arguments) throws Exception {
        java.io.File end = new java.io.File("end");
        System.out.println("ready");
        System.out.flush();
        while (!end.exists()) {
            Thread.sleep(5);
        }
        System.out.println("done");
    }
}

import java.io.File;
import java.io.InputStream;

/** Starts a program, forks, or becomes another program. */
public class Forks {
    static native int fork();

    static native void exec();

    public static void main(String[] words) throws Exception {
        System.load(System.getProperty("agent"));
        Process process = new ProcessBuilder("sh", "-c", "echo started; exit 3").start();
        InputStream said = process.getInputStream();
        for (int c = said.read(); c >= 0; c = said.read()) {
            System.out.write(c);
        }
        System.out.println("ended with " + process.waitFor());
        System.out.println("child " + (words[0].equals("fork") ? fork() : 0));
        System.out.flush();
        File end = new File("end");
        while (words[0].equals("fork") && !end.exists()) {
            Thread.sleep(5);
        }
        if (words[0].equals("exec")) {
            exec();
        }
        System.out.println("done");
    }
}

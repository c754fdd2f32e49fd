import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.locks.LockSupport;

/**
 * A service: waits to be told to end, and then uses what it has not used before: sockets and
 * other libraries whose JNI_OnLoad asks for an environment, classes, threads.
 */
public class Serving {
    public static void main(String[] arguments) throws Exception {
        // So that it is there to have hooks.
        LockSupport.unpark(null);
        Dumped.await();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread peer = new Thread("peer") {
                public void run() {
                    try (Socket socket = server.accept()) {
                        socket.getOutputStream().write(42);
                    } catch (IOException e) {
                        System.out.println(e);
                    }
                }
            };
            peer.start();
            try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
                System.out.println("socket " + socket.getInputStream().read());
            }
            peer.join();
        }
        URL[] path = {Serving.class.getProtectionDomain().getCodeSource().getLocation()};
        try (URLClassLoader loader = new URLClassLoader(path, null)) {
            Class<?> again = Class.forName("Plain", true, loader);
            System.out.println("class " + again.getName() + " " + (again != Plain.class));
        }
        new java.util.zip.Deflater().end();
        System.gc();
        System.out.println("served");
    }
}

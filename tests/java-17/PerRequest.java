import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * A server with a thread for each request, virtual or not, on a JDK that has them:
 * {@code virtual 8080} serves until it is ended from outside, {@code platform 0 8 500} has 8 clients
 * of its own with 500 requests each, and says what it did.
 */
public class PerRequest {
    static final LongAdder HANDLED = new LongAdder();
    static final LongAdder CELLS = new LongAdder();
    static final AtomicLong SUM = new AtomicLong();
    static final Object LEDGER = new Object();
    static long booked;

    static final class Cell {
        final long number;

        Cell(long number) {
            this.number = number;
        }
    }

    /** Half of a request's work. */
    static long mix(long seed) {
        long value = seed;
        for (int i = 0; i < 200_000; i++) {
            value = value * 6364136223846793005L + 1442695040888963407L;
            value ^= value >>> 29;
        }
        return value;
    }

    /** A quarter of it. */
    static int collatz(long start) {
        int steps = 0;
        for (int i = 1; i < 400; i++) {
            for (long n = (start & 0xffff) + i; n > 1 && steps < 1_000_000; steps++) {
                n = (n & 1) == 0 ? n >> 1 : 3 * n + 1;
            }
        }
        return steps;
    }

    static String page(long seed) {
        TreeMap<String, Cell> sizes = new TreeMap<>();
        for (int i = 0; i < 40; i++) {
            CELLS.increment();
            sizes.put("name" + (seed + i) % 97, new Cell(seed * i));
        }
        StringBuilder text = new StringBuilder("<html>");
        sizes.forEach((name, cell) -> text.append(name).append(cell.number));
        return text.append("</html>").toString();
    }

    static void book(long amount) {
        synchronized (LEDGER) {
            for (int i = 0; i < 500; i++) {
                booked += amount ^ i;
            }
        }
    }

    static void handle(HttpExchange exchange) throws IOException {
        HANDLED.increment();
        long seed = exchange.getRequestURI().getPath().hashCode();
        SUM.addAndGet(mix(seed) ^ collatz(seed));
        book(seed);
        byte[] page = page(seed & 0xff).getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, page.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(page);
        }
    }

    /** By reflection: the compiler may be of a JDK before 21. */
    static ExecutorService oneEach(String kind) throws ReflectiveOperationException {
        Object builder = Thread.class.getMethod(kind.equals("virtual") ? "ofVirtual" : "ofPlatform").invoke(null);
        Object factory = Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
        return (ExecutorService) Executors.class.getMethod("newThreadPerTaskExecutor", ThreadFactory.class).invoke(null, factory);
    }

    static void ask(URI page, int times) {
        for (int i = 0; i < times; i++) {
            try (InputStream in = page.toURL().openStream()) {
                in.readAllBytes();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        // Else answers wait for the client's acknowledgement, 40 ms each.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        InetAddress here = InetAddress.getLoopbackAddress();
        HttpServer server = HttpServer.create(new InetSocketAddress(here, Integer.parseInt(arguments[1])), 0);
        ExecutorService requests = oneEach(arguments[0]);
        server.setExecutor(requests);
        server.createContext("/", PerRequest::handle);
        server.start();
        if (arguments.length < 4) {
            return;
        }
        URI page = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/page");
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(arguments[2]); i++) {
            Thread client = new Thread(() -> ask(page, Integer.parseInt(arguments[3])));
            client.start();
            clients.add(client);
        }
        for (Thread client : clients) {
            client.join();
        }
        server.stop(0);
        requests.shutdown();
        if (!requests.awaitTermination(30, TimeUnit.SECONDS)) {
            throw new AssertionError("requests that do not end");
        }
        System.out.println("handle " + HANDLED.sum());
        System.out.println("Cell " + CELLS.sum());
    }
}

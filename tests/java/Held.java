import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * A heap of a real program, that lies still to be dumped: {@code Held javac END}, {@code Held ecj END JAR} or
 * {@code Held h2 END JAR}. `javac` has attributed some hundred classes, Eclipse's compiler is in the middle of as many,
 * `h2` holds a table with an index in memory. It ends when the file END is there.
 */
public class Held {
    static Object held;

    public static void main(String[] words) throws Exception {
        switch (words[0]) {
            case "javac":
                held = compiled();
                break;
            case "ecj":
                compiling(new File(words[2]), () -> lieStill(words[1]));
                break;
            default:
                held = table(new File(words[2]));
        }
        lieStill(words[1]);
        System.exit(0);
    }

    private static void lieStill(String end) {
        Object inUse = held;
        try {
            // Until what references and their queues let go of is gone.
            Runtime runtime = Runtime.getRuntime();
            long before;
            long used = Long.MAX_VALUE;
            do {
                before = used;
                System.gc();
                used = runtime.totalMemory() - runtime.freeMemory();
            } while (used < before);
            System.out.println("ready");
            while (!new File(end).exists()) {
                Thread.sleep(20);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        System.out.println("done " + (held == inUse));
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String name, String text) {
            super(URI.create("string:///" + name + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreErrors) {
            return text;
        }
    }

    private static final int CLASSES = 100;

    private static String text(int i) {
        return "import java.util.*; import java.util.function.*; class C" + i + "<T extends Comparable<T>> { C"
            + (i + 1) % CLASSES + "<T> next; final Map<String, List<? super T>> map = new TreeMap<>();"
            + " int sum(int[] of) { int all = " + i + "; for (int one : of) all += one > 3 ? one : -one; return all; }"
            + " Supplier<T> get(T t) { return () -> t; }"
            + " String name() { switch (hashCode() % 3) { case 0: return \"zero\"; default: return \"\" + map; } } }";
    }

    /** Eclipse's compiler tells its writer what it does. At this line it has read all classes and done half of them. */
    private static void compiling(File jar, Runnable halfway) throws Exception {
        String[] words = new String[CLASSES + 5];
        System.arraycopy(new String[] {"-1.8", "-verbose", "-proc:none", "-d", "none"}, 0, words, 0, 5);
        for (int i = 0; i < CLASSES; i++) {
            words[5 + i] = "C" + i + ".java";
            Files.write(Paths.get(words[5 + i]), text(i).getBytes(StandardCharsets.UTF_8));
        }
        PrintWriter progress = new PrintWriter(new StringWriter()) {
            @Override
            public void println(String line) {
                if (line.startsWith("[analyzing") && line.endsWith("#" + CLASSES / 2 + "/" + CLASSES + "]")) {
                    halfway.run();
                }
            }
        };
        ClassLoader loader = new URLClassLoader(new URL[] {jar.toURI().toURL()});
        Class<?> main = Class.forName("org.eclipse.jdt.internal.compiler.batch.Main", true, loader);
        StringWriter errors = new StringWriter();
        held = main.getConstructor(PrintWriter.class, PrintWriter.class, boolean.class)
            .newInstance(progress, new PrintWriter(errors), false);
        if (!(boolean) main.getMethod("compile", String[].class).invoke(held, (Object) words)) {
            throw new IllegalStateException(errors.toString());
        }
    }

    private static Object compiled() throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<JavaFileObject> sources = new ArrayList<>();
        for (int i = 0; i < CLASSES; i++) {
            sources.add(new Source("C" + i, text(i)));
        }
        Object task = compiler.getTask(null, null, null, Arrays.asList("-proc:none"), null, sources);
        // com.sun.source.util.JavacTask, which not every JDK of the matrix has.
        Method analyze = Class.forName("com.sun.source.util.JavacTask").getMethod("analyze");
        return new Object[] {task, analyze.invoke(task)};
    }

    private static Object table(File jar) throws Exception {
        ClassLoader loader = new URLClassLoader(new URL[] {jar.toURI().toURL()});
        Driver driver = (Driver) Class.forName("org.h2.Driver", true, loader).getConstructor().newInstance();
        Connection connection = driver.connect("jdbc:h2:mem:x", new Properties());
        try (Statement statement = connection.createStatement()) {
            statement.execute("create table t(id int primary key, name varchar(100), v double)");
            statement.execute("create index i on t(name)");
        }
        try (PreparedStatement insert = connection.prepareStatement("insert into t values (?, ?, ?)")) {
            for (int i = 0; i < 5000; i++) {
                insert.setInt(1, i);
                insert.setString(2, "name" + i * 7919 % 5000);
                insert.setDouble(3, i / 3.0);
                insert.execute();
            }
        }
        return connection;
    }
}

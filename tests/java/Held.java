import java.io.File;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
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
 * A heap of a real program, that lies still to be dumped: {@code Held javac END} or {@code Held h2 END JAR}. `javac` has
 * attributed some hundred classes, `h2` holds a table with an index in memory. It ends when the file END is there.
 */
public class Held {
    static Object held;

    public static void main(String[] words) throws Exception {
        Object inUse = words[0].equals("javac") ? compiled() : table(new File(words[2]));
        held = inUse;
        for (int i = 0; i < 3; i++) {
            System.gc();
            Thread.sleep(50);
        }
        System.out.println("ready");
        File end = new File(words[1]);
        while (!end.exists()) {
            Thread.sleep(20);
        }
        System.out.println("done " + (held == inUse));
        System.exit(0);
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

    private static Object compiled() throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<JavaFileObject> sources = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            String text = "import java.util.*; import java.util.function.*; class C" + i + "<T extends Comparable<T>> { C"
                + (i + 1) % 100 + "<T> next; final Map<String, List<? super T>> map = new TreeMap<>();"
                + " int sum(int[] of) { int all = " + i + "; for (int one : of) all += one > 3 ? one : -one; return all; }"
                + " Supplier<T> get(T t) { return () -> t; }"
                + " String name() { switch (hashCode() % 3) { case 0: return \"zero\"; default: return \"\" + map; } } }";
            sources.add(new Source("C" + i, text));
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

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;

/** Two classes whose names differ in a letter that nobody sees, as those of obfuscated programs: 3 arrays of the one, 5 of the other. */
public class TwinNames extends ClassLoader {
    static final List<Object> KEPT = new ArrayList<>();

    public static void main(String[] words) throws Exception {
        TwinNames loader = new TwinNames();
        int count = 3;
        for (String letter : new String[] {"\u0001", "\u200b"}) {
            byte[] bytes = HostileNames.made("t/zq" + letter, "run", "Twin.java");
            Class<?> type = loader.defineClass(null, bytes, 0, bytes.length);
            KEPT.add(type.getConstructor().newInstance());
            for (int number = 0; number < count; number++) {
                KEPT.add(Array.newInstance(type, 10));
            }
            count += 2;
        }
        System.out.println("done");
    }
}

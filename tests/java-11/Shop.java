package zoo;

/** To verify it, others must be loaded. */
public class Shop {
    Animal animal(boolean big) {
        return big ? new Cat() : new Mouse();
    }
}

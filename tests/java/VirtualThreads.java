/** Virtual threads with names, for programs that a JDK before 21 may compile. */
final class VirtualThreads {
    private VirtualThreads() {}

    static Thread start(String name, Runnable body) {
        return make(name, "start", body);
    }

    static Thread unstarted(String name, Runnable body) {
        return make(name, "unstarted", body);
    }

    private static Thread make(String name, String how, Runnable body) {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            builder = type.getMethod("name", String.class).invoke(builder, name);
            return (Thread) type.getMethod(how, Runnable.class).invoke(builder, body);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}

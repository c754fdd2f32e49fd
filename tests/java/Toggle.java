/** Starts threads and loads classes while the agent switches events. */
public class Toggle {
    static class A { }
    static class B { }
    static class C { }

    static void thread(String name) throws Exception {
        Thread thread = new Thread(name);
        thread.start();
        thread.join();
    }

    public static void main(String[] arguments) throws Exception {
        thread("t1");
        new A();
        Native.check("on");
        thread("t2");
        new B();
        Native.check("off");
        thread("t3");
        new C();
        Native.check("on");
        thread("t4");
        Native.check("report");
        System.out.println("done");
    }
}

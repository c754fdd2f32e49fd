/** A program that says two things and ends as it is told. */
public class Plain {
    public static void main(String[] arguments) throws Exception {
        System.out.println("begin");
        Thread thread = new Thread("worker") {
            public void run() {
                System.out.println("work");
            }
        };
        thread.start();
        thread.join();
        String end = arguments.length == 0 ? "return" : arguments[0];
        if (end.equals("namesake")) {
            Thread namesake = new Thread("DestroyJavaVM");
            namesake.start();
            namesake.join();
        }
        if (end.equals("exit")) {
            System.exit(3);
        } else if (end.equals("halt")) {
            Runtime.getRuntime().halt(4);
        } else if (end.equals("throw")) {
            throw new IllegalStateException("on purpose");
        } else if (end.equals("exit-elsewhere")) {
            Thread other = new Thread("exiter") {
                public void run() {
                    System.exit(5);
                }
            };
            other.start();
            other.join();
        } else if (end.equals("daemon")) {
            Thread other = new Thread("daemon") {
                public void run() {
                    while (true) {
                        try {
                            Thread.sleep(1);
                        } catch (InterruptedException e) {
                            return;
                        }
                    }
                }
            };
            other.setDaemon(true);
            other.start();
        }
        System.out.println("end");
    }
}

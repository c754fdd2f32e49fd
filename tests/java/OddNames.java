/** Has a thread whose name a terminal would obey. */
public class OddNames {
    public static void main(String[] words) throws Exception {
        Thread thread = new Thread("\u001b[31mred\nagent\t\u202ekcab") {
            public void run() {
            }
        };
        thread.start();
        thread.join();
        System.out.println("done");
    }
}

public class Period {
    static int sink;
    Period outer; final int x;
    class Inner { final int y; Inner(int a) { super(); y = a + x; } Inner() { this(x > 3 ? new Period(5).x : 2); } }
    Period(int x) { this.x = x; }
    Period(String s) { this(parse(s)); }
    Period() { this(new Period(new String("7")).x == 7 ? new Period(3) : new Period(4)); }
    Period(Period o) { this(o == null ? 1 : o.x); outer = o; }
    static int parse(String s) { return Integer.parseInt(s); }
    static int fin(int n) {
        try { if (n == 0) return 10; if (n == 1) throw new RuntimeException("one"); sink += n; }
        catch (RuntimeException e) { return 20; }
        finally { sink++; try { sink++; } finally { sink += 2; } }
        return 30;
    }
    static int table(int n) { switch (n) { case 0: return 1; case 1: return 2; case 2: case 3: sink++; case 4: return 5; default: return -1; } }
    static int look(int n) { switch (n) { case -1000: return 1; case 7: return 2; case 100000: return 3; default: return -1; } }
    static int loop(int n) { int s = 0; do { s += n; if (s > 1000) break; } while (--n > 0); return s; }
    static void spin() { while (true) { if (sink++ % 7 == 3) return; } }
    synchronized int sync(Object o) { synchronized (o) { synchronized (this) { if (o == this) return 1; sink++; } } return 2; }
    static int nested(int n) {
        for (int i = 0; i < 3; i++) {
            try { try { if (n == i) continue; if (n == 9) break; if (n == 8) throw new Error(); } finally { sink++; if (n == 5) return 77; } }
            catch (Error e) { sink += 3; }
            finally { sink += 5; if (n == 6) continue; }
        }
        return n;
    }
    static int deep(int n) { return n == 0 ? 0 : 1 + deep(n - 1); }
    static int thrower(int n) { if (n == 0) throw new IllegalStateException("deep"); return thrower(n - 1) + 1; }
    static long wide(long a, double b, float c, int d) { return (a < 3 ? a : -a) + (long) (b > 2 ? b : c) + d; }
    static Class lit() { return Period.class; }
    static int chars(String s) { int n = 0; for (int i = 0; i < s.length(); i++) if (s.charAt(i) == 'a' || s.charAt(i) > 'x') n++; return n; }
    static boolean same(Object a, Object b) { return a == b || (a != null && b != null && a.equals(b)) || !(a == null || b == null) && a != b && a.hashCode() == 3; }
    public static void main(String[] args) {
        StringBuffer out = new StringBuffer();
        for (int i = -2; i < 12; i++) {
            out.append(fin(i)).append(' ').append(table(i)).append(' ').append(look(i)).append(' ').append(loop(i)).append(' ').append(nested(i)).append(' ').append(wide(i, i, i, i)).append('\n');
        }
        spin();
        Period o = new Period(); o.sync(o); o.sync("x");
        out.append(o.x).append(o.new Inner().y).append(o.new Inner(4).y).append(new Period((Period) null).x).append(look(100000)).append(look(-1000));
        try { thrower(20); } catch (IllegalStateException e) { out.append(e.getMessage()); }
        try { new Period("nope"); } catch (NumberFormatException e) { out.append(" nfe"); }
        out.append(deep(50)).append(lit()).append(chars("abcxyz")).append(same("a", new String("a"))).append(same(null, "b")).append(same("a", "b"));
        System.out.println(out);
        System.out.println(sink);
    }
}

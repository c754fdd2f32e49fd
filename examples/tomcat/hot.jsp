<%@ page contentType="text/plain; charset=utf-8" %><%!
    /** What a profile is to show: nearly all of the time is spent here. */
    static double hot(int rounds) {
        double sum = 0;
        for (int i = 1; i < rounds; i++)
            sum += Math.sqrt(i) / i;
        return sum;
    }
%><%= hot(2_000_000) %>

/* METHOD_ENTRY stays on; the program has METHOD_EXIT enabled for twenty calls and disabled
 * again, while two threads of ours switch MONITOR_WAIT, which is nobody's business. Each
 * round has its twenty. */
#include "check.h"

static volatile int over;
static __thread int exits;
static int rounds, bad, first_bad = -1, late;
static volatile int closed;

static void switch_another(void *unused)
{
    while (!over) {
        jvmpi->EnableEvent(JVMPI_EVENT_MONITOR_WAIT, NULL);
        jvmpi->DisableEvent(JVMPI_EVENT_MONITOR_WAIT, NULL);
    }
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN, JVMPI_EVENT_METHOD_ENTRY, 0 };

    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
    int i;

    switch (type) {
    case JVMPI_EVENT_JVM_INIT_DONE:
        for (i = 0; i < 2; i++)
            expect("CreateSystemThread", jvmpi->CreateSystemThread("switch", JVMPI_NORMAL_PRIORITY, switch_another),
                   JNI_OK);
        break;
    case JVMPI_EVENT_METHOD_EXIT:
        exits++;
        late += closed;
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        over = 1;
        verdict(rounds > 100, "rounds", rounds);
        expect("rounds without their twenty METHOD_EXITs", bad, 0);
        expect("METHOD_EXITs of the first of them", bad ? first_bad : 20, 20);
        expect("METHOD_EXIT after DisableEvent", late, 0);
        break;
    }
}

static void check(JNIEnv *env, const char *what)
{
    if (strcmp(what, "on") == 0) {
        exits = 0;
        closed = 0;
        jvmpi->EnableEvent(JVMPI_EVENT_METHOD_EXIT, NULL);
    } else {
        jvmpi->DisableEvent(JVMPI_EVENT_METHOD_EXIT, NULL);
        closed = 1;
        rounds++;
        if (exits != 20 && bad++ == 0)
            first_bad = exits;
    }
}

/* Switches monitor events while threads wait, and writes down what comes: `EVENT thread kind`. */
#include "check.h"

static const struct {
    const char *name;
    jint event;
} kinds[] = {
    { "ENTER", JVMPI_EVENT_MONITOR_CONTENDED_ENTER },
    { "ENTERED", JVMPI_EVENT_MONITOR_CONTENDED_ENTERED },
    { "EXIT", JVMPI_EVENT_MONITOR_CONTENDED_EXIT },
    { "WAIT", JVMPI_EVENT_MONITOR_WAIT },
    { "WAITED", JVMPI_EVENT_MONITOR_WAITED },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Of whom ENTER has come, by place in `threads`. */
static int enters[sizeof threads / sizeof *threads];

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END, 0 };

    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
    int i;

    for (i = 0; i < KINDS; i++)
        if (kinds[i].event == type) {
            struct known_thread *thread = thread_of(event->env_id);

            say("EVENT %s %s", thread != NULL ? thread->name : "?", kinds[i].name);
            if (thread != NULL && type == JVMPI_EVENT_MONITOR_CONTENDED_ENTER)
                __atomic_add_fetch(&enters[thread - threads], 1, __ATOMIC_SEQ_CST);
        }
}

/* `on KIND…`, `off KIND…`, `mark NAME`, or `until THREAD`, which waits for its ENTER. */
static void check(JNIEnv *env, const char *what)
{
    char copy[200], *rest = copy, *verb, *word;
    int i;

    snprintf(copy, sizeof copy, "%s", what);
    verb = strsep(&rest, " ");
    while ((word = strsep(&rest, " ")) != NULL) {
        if (strcmp(verb, "mark") == 0) {
            say("MARK %s", word);
        } else if (strcmp(verb, "until") == 0) {
            struct known_thread *thread = thread_named(word);

            while (thread != NULL && __atomic_load_n(&enters[thread - threads], __ATOMIC_SEQ_CST) == 0)
                sleep_ms(1);
        }
        for (i = 0; i < KINDS; i++)
            if (strcmp(kinds[i].name, word) == 0) {
                jint done = strcmp(verb, "on") == 0 ? jvmpi->EnableEvent(kinds[i].event, NULL)
                                                    : jvmpi->DisableEvent(kinds[i].event, NULL);

                if (done != JVMPI_SUCCESS)
                    say("FAIL %s: %d", what, done);
            }
    }
}

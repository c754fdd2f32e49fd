/* The events of VirtualLate's virtual threads, enabled in the middle of its run: each thread has an env of
 * its own, with its THREAD_START before all else and its THREAD_END after it, methods that nest, and as many
 * events as it has steps and waits. */
#include "check.h"

#define OLD 24
#define NEW 20
#define STEPS 10
#define WAITS 3
#define DEPTH 2000

/* Of each thread that the program has named. */
struct own {
    JNIEnv *env;
    jmethodID stack[DEPTH];
    int depth;
    long starts, ends, entries, exits, waits, waiteds;
    long strays, unmatched, misplaced, of_another_env;
};
static struct own owns[2][OLD];
static jmethodID step;
static long on_others, taken_envs;
static volatile int over;

static const int late[] = { JVMPI_EVENT_METHOD_ENTRY, JVMPI_EVENT_METHOD_EXIT, JVMPI_EVENT_MONITOR_WAIT,
                            JVMPI_EVENT_MONITOR_WAITED, JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END, 0 };

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_JVM_SHUT_DOWN, 0 };

    (void)options;
    enable_all(events);
}

/* The program's thread of this name, NULL if it is another. */
static struct own *of_name(const char *name)
{
    int number;

    if (sscanf(name, "old %d", &number) == 1 && number < OLD)
        return &owns[0][number];
    if (sscanf(name, "new %d", &number) == 1 && number < NEW)
        return &owns[1][number];
    return NULL;
}

static void on_start(JVMPI_Event *event)
{
    struct own *own = of_name(event->u.thread_start.thread_name);

    if (own == NULL)
        return;
    own->starts++;
    own->env = event->u.thread_start.thread_env_id;
    /* It is another's again only after its end was told. */
    if (jvmpi->GetThreadLocalStorage(own->env) != NULL)
        __atomic_add_fetch(&taken_envs, 1, __ATOMIC_RELAXED);
    jvmpi->SetThreadLocalStorage(own->env, own);
}

static void on_method(struct own *own, jmethodID id, int enters)
{
    if (enters) {
        own->entries += id == step;
        if (own->depth < DEPTH)
            own->stack[own->depth++] = id;
        return;
    }
    own->exits += id == step;
    /* What had begun before. */
    if (own->depth == 0)
        own->strays++;
    else if (own->stack[--own->depth] != id)
        own->unmatched++;
}

/* On the thread itself. */
static void on_own(JVMPI_Event *event, int type, struct own *own)
{
    own->of_another_env += own->env != event->env_id;
    own->misplaced += own->ends > 0;
    switch (type) {
    case JVMPI_EVENT_METHOD_ENTRY:
    case JVMPI_EVENT_METHOD_EXIT:
        on_method(own, event->u.method.method_id, type == JVMPI_EVENT_METHOD_ENTRY);
        break;
    case JVMPI_EVENT_MONITOR_WAIT:
        own->waits += event->u.monitor_wait.object != NULL;
        break;
    case JVMPI_EVENT_MONITOR_WAITED:
        own->waiteds += event->u.monitor_wait.object != NULL;
        break;
    case JVMPI_EVENT_THREAD_END:
        own->ends++;
        jvmpi->SetThreadLocalStorage(event->env_id, NULL);
        break;
    }
}

/* On an env that is none of the program's threads: not yet, not any more, or never. */
static void on_other(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_METHOD_ENTRY && event->u.method.method_id == step)
        __atomic_add_fetch(&on_others, 1, __ATOMIC_RELAXED);
}

static void report(void)
{
    struct own sum[2];
    long wrong_envs = 0, wrong = 0, strays = 0;
    int kind, i;

    memset(sum, 0, sizeof sum);
    for (kind = 0; kind < 2; kind++) {
        int count = kind == 0 ? OLD : NEW;

        for (i = 0; i < count; i++) {
            const struct own *own = &owns[kind][i];

            sum[kind].starts += own->starts == 1;
            sum[kind].ends += own->ends == 1;
            sum[kind].entries += own->entries == STEPS;
            sum[kind].exits += own->exits == STEPS;
            sum[kind].waits += own->waits == WAITS;
            sum[kind].waiteds += own->waiteds == WAITS;
            wrong += own->unmatched + own->misplaced;
            wrong_envs += own->of_another_env;
            strays += kind == 1 ? own->strays : 0;
        }
        expect(kind == 0 ? "old: one THREAD_START" : "new: one THREAD_START", sum[kind].starts, count);
        expect(kind == 0 ? "old: one THREAD_END" : "new: one THREAD_END", sum[kind].ends, count);
        expect(kind == 0 ? "old: entries" : "new: entries", sum[kind].entries, count);
        expect(kind == 0 ? "old: exits" : "new: exits", sum[kind].exits, count);
        expect(kind == 0 ? "old: MONITOR_WAIT" : "new: MONITOR_WAIT", sum[kind].waits, count);
        expect(kind == 0 ? "old: MONITOR_WAITED" : "new: MONITOR_WAITED", sum[kind].waiteds, count);
    }
    expect("envs of two at a time", taken_envs, 0);
    expect("events on another env", wrong_envs, 0);
    expect("methods that do not nest, and events after the end", wrong, 0);
    expect("exits without an entry of new ones", strays, 0);
    expect("steps on other threads", on_others, 0);
}

static void on_event(JVMPI_Event *event, int type)
{
    struct known_method *method;
    struct own *own;

    switch (type) {
    case JVMPI_EVENT_CLASS_LOAD:
        method = step == NULL ? method_named("VirtualLate", "step") : NULL;
        if (method != NULL)
            step = method->id;
        return;
    case JVMPI_EVENT_THREAD_START:
        on_start(event);
        return;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        over = 1;
        report();
        return;
    }
    if (over)
        return;
    own = jvmpi->GetThreadLocalStorage(event->env_id);
    if (own != NULL)
        on_own(event, type, own);
    else
        on_other(event, type);
}

static void check(JNIEnv *env, const char *what)
{
    if (strcmp(what, "on") == 0)
        enable_all(late);
}

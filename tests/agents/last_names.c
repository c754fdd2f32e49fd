/* While the VM ends a thread of the program loads a class, of which no CLASS_LOAD can come any more, and stands
 * in a method of it: GetCallTrace does not name that method, nor does a MONITOR_DUMP behind the last CLASS_LOAD. */
#include "check.h"

static volatile int held, ends, inside, traced, asked;
static int strangers, holders;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_THREAD_START, JVMPI_EVENT_CLASS_LOAD,
                                  JVMPI_EVENT_JVM_SHUT_DOWN, 0 };

    enable_all(events);
}

/* False if that takes too long. */
static int wait_for(volatile int *flag)
{
    long until = now_ms() + 20000;

    while (!*flag && now_ms() < until)
        sleep_ms(1);
    return *flag;
}

static void look(const JVMPI_CallTrace *trace)
{
    int i;

    for (i = 0; i < trace->num_frames; i++) {
        struct known_method *method = method_by_id(trace->frames[i].method_id);

        strangers += method == NULL;
        holders += method != NULL && strcmp(method->class_name, "LastNames$Holder") == 0;
    }
}

static void asker(void *unused)
{
    struct known_thread *holder;
    JVMPI_CallFrame frames[16];
    JVMPI_CallTrace trace = { NULL, 0, frames };

    wait_for(&inside);
    holder = thread_named("holder");
    trace.env_id = holder != NULL ? holder->env : NULL;
    jvmpi->GetCallTrace(&trace, 16);
    look(&trace);
    traced = 1;
}

static void ends_now(void)
{
    ends = 1;
    verdict(wait_for(&inside), "a class that is loaded while the VM ends", 0);
    verdict(wait_for(&traced), "GetCallTrace meanwhile", 0);
    expect("frames of the caller in it", holders, 1);
    expect("frames of no class that had a CLASS_LOAD in it", strangers, 0);
    holders = strangers = 0;
    /* Here it would still come. */
    jvmpi->DisableEvent(JVMPI_EVENT_CLASS_LOAD, NULL);
    expect("MONITOR_DUMP", jvmpi->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, NULL), JVMPI_SUCCESS);
    expect("frames of the caller in the dump", holders, 1);
    expect("frames of no class that had a CLASS_LOAD in the dump", strangers, 0);
    asked = 1;
}

static void on_event(JVMPI_Event *event, int type)
{
    int i;

    if (type == JVMPI_EVENT_JVM_INIT_DONE)
        jvmpi->CreateSystemThread((char *)"asker", JVMPI_NORMAL_PRIORITY, asker);
    if (type == JVMPI_EVENT_JVM_SHUT_DOWN)
        ends_now();
    if (type == JVMPI_EVENT_MONITOR_DUMP)
        for (i = 0; i < event->u.monitor_dump.num_traces; i++)
            look(&event->u.monitor_dump.traces[i]);
}

static void check(JNIEnv *env, const char *what)
{
    if (strcmp(what, "hold") == 0) {
        held = 1;
        while (!ends)
            sleep_ms(1);
    } else if (strcmp(what, "held") == 0) {
        verdict(wait_for(&held), "a thread that waits for the end", 0);
    } else {
        inside = 1;
        wait_for(&asked);
    }
}

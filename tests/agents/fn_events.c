/* EnableEvent, DisableEvent and RequestEvent in every phase (JVMPI facts B.1, B.2). */
#include "check.h"
#include "tasks.h"

static const jint unused[] = { 0, 10, 20, 32, 36, 62, 100, 2000, 2023, -1, -61, 0x7fffffff, (jint)0x80000000,
                               JVMPI_REQUESTED_EVENT, JVMPI_REQUESTED_EVENT | JVMPI_EVENT_THREAD_START };

static int is_event(int event)
{
    return (event >= 1 && event <= 9) || (event >= 33 && event <= 61 && event != 36);
}

static int can_enable(int event)
{
    return is_event(event) && event != JVMPI_EVENT_HEAP_DUMP && event != JVMPI_EVENT_MONITOR_DUMP &&
           event != JVMPI_EVENT_OBJECT_DUMP && event != JVMPI_EVENT_INSTRUCTION_START;
}

static void restore(void)
{
    static const int wanted[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN, JVMPI_EVENT_THREAD_START,
                                  JVMPI_EVENT_THREAD_END, JVMPI_EVENT_CLASS_LOAD, 0 };

    enable_all(wanted);
}

/* 6 checks. Argument: must be ignored. */
static void enable_and_disable(const char *where, void *argument)
{
    char what[100];
    unsigned i;
    int event, pass, wrong_enable = 0, wrong_disable = 0, wrong_unused = 0;

    for (pass = 0; pass < 2; pass++)
        for (event = 1; event <= 61; event++)
            if (jvmpi->EnableEvent(event, argument) != (can_enable(event) ? JVMPI_SUCCESS : JVMPI_NOT_AVAILABLE))
                wrong_enable = event;
    for (pass = 0; pass < 2; pass++)
        for (event = 1; event <= 61; event++)
            if (jvmpi->DisableEvent(event, argument) != (can_enable(event) ? JVMPI_SUCCESS : JVMPI_NOT_AVAILABLE))
                wrong_disable = event;
    for (i = 0; i < sizeof unused / sizeof unused[0]; i++)
        if (jvmpi->EnableEvent(unused[i], argument) != JVMPI_NOT_AVAILABLE ||
            jvmpi->DisableEvent(unused[i], argument) != JVMPI_NOT_AVAILABLE)
            wrong_unused = unused[i] != 0 ? unused[i] : 12345;
    snprintf(what, sizeof what, "EnableEvent of 1..61 %s", where);
    expect(what, wrong_enable, 0);
    snprintf(what, sizeof what, "DisableEvent of 1..61 %s", where);
    expect(what, wrong_disable, 0);
    snprintf(what, sizeof what, "both of numbers that are no event %s", where);
    expect(what, wrong_unused, 0);
    restore();
}

static JVMPI_Event seen;
static char seen_name[100];
static int seen_count;
static pthread_t seen_on;

static int can_be_requested(int event)
{
    return event == JVMPI_EVENT_CLASS_LOAD || event == JVMPI_EVENT_THREAD_START || event == JVMPI_EVENT_OBJECT_ALLOC ||
           event == JVMPI_EVENT_HEAP_DUMP || event == JVMPI_EVENT_OBJECT_DUMP || event == JVMPI_EVENT_MONITOR_DUMP;
}

/* 3 checks: what may not be requested. */
static void refused(const char *where)
{
    char what[100];
    unsigned i;
    int event, wrong = 0, before = seen_count;

    for (event = 1; event <= 61; event++)
        if (!can_be_requested(event) && jvmpi->RequestEvent(event, NULL) != JVMPI_NOT_AVAILABLE)
            wrong = event;
    snprintf(what, sizeof what, "RequestEvent of what cannot be requested %s", where);
    expect(what, wrong, 0);
    wrong = 0;
    for (i = 0; i < sizeof unused / sizeof unused[0]; i++)
        if (jvmpi->RequestEvent(unused[i], NULL) != JVMPI_NOT_AVAILABLE)
            wrong = unused[i] != 0 ? unused[i] : 12345;
    snprintf(what, sizeof what, "RequestEvent of numbers that are no event %s", where);
    expect(what, wrong, 0);
    snprintf(what, sizeof what, "nothing was sent %s", where);
    expect(what, seen_count - before, 0);
}

static void fails(const char *what, jint event, void *argument)
{
    int before = seen_count;
    jint result = jvmpi->RequestEvent(event, argument);

    verdict(result == JVMPI_FAIL && seen_count == before, what, result);
}

/* 9 checks. */
static void nonsense(void)
{
    static int something;
    struct known_thread *main_thread = thread_named("main");
    struct known_method *method = method_named("Events", "main");

    fails("RequestEvent(CLASS_LOAD, NULL)", JVMPI_EVENT_CLASS_LOAD, NULL);
    fails("RequestEvent(THREAD_START, NULL)", JVMPI_EVENT_THREAD_START, NULL);
    fails("RequestEvent(CLASS_LOAD, a pointer of the agent's)", JVMPI_EVENT_CLASS_LOAD, &something);
    fails("RequestEvent(THREAD_START, a pointer of the agent's)", JVMPI_EVENT_THREAD_START, &something);
    fails("RequestEvent(CLASS_LOAD, -16)", JVMPI_EVENT_CLASS_LOAD, (void *)-16L);
    fails("RequestEvent(THREAD_START, 1)", JVMPI_EVENT_THREAD_START, (void *)1);
    fails("RequestEvent(CLASS_LOAD, id of a thread)", JVMPI_EVENT_CLASS_LOAD, main_thread->id);
    fails("RequestEvent(THREAD_START, id of a class)", JVMPI_EVENT_THREAD_START, method->class_id);
    fails("RequestEvent(THREAD_START, JNIEnv of a thread)", JVMPI_EVENT_THREAD_START, main_thread->env);
}

/* 5 checks each, and one of a class. */
static void request(const char *where, jint event, jobjectID id, JNIEnv *own, const char *name)
{
    char what[200];
    int before = seen_count;
    const char *label = event == JVMPI_EVENT_CLASS_LOAD ? "CLASS_LOAD" : "THREAD_START";

    memset(&seen, 0, sizeof seen);
    snprintf(what, sizeof what, "RequestEvent(%s) of %s %s", label, name, where);
    expect(what, jvmpi->RequestEvent(event, id), JVMPI_SUCCESS);
    snprintf(what, sizeof what, "%s: one event before it returned", label);
    expect(what, seen_count - before, 1);
    snprintf(what, sizeof what, "%s: with the REQUESTED bit", label);
    expect(what, seen.event_type, event | JVMPI_REQUESTED_EVENT);
    snprintf(what, sizeof what, "%s: on the requesting thread", label);
    verdict(pthread_equal(seen_on, pthread_self()) && seen.env_id == own, what, (long)seen.env_id);
    snprintf(what, sizeof what, "%s: of what was asked for", label);
    verdict((event == JVMPI_EVENT_CLASS_LOAD ? seen.u.class_load.class_id : seen.u.thread_start.thread_id) == id &&
                strcmp(seen_name, name) == 0,
            what, 0);
    /* Agents of the period go on using the name. */
    if (event == JVMPI_EVENT_CLASS_LOAD) {
        snprintf(what, sizeof what, "CLASS_LOAD: its name when it has returned %s", where);
        verdict(strcmp(seen.u.class_load.class_name, name) == 0, what, 0);
    }
}

/* 11 checks. */
static void requests(const char *where, JNIEnv *own)
{
    request(where, JVMPI_EVENT_CLASS_LOAD, method_named("java.lang.String", "length")->class_id, own, "java.lang.String");
    request(where, JVMPI_EVENT_THREAD_START, thread_of(own)->id, own, thread_of(own)->name);
}

static int nested;

static void on_load(const char *options)
{
    static int something;

    enable_and_disable("in JVM_OnLoad", NULL);
    enable_and_disable("in JVM_OnLoad with an argument", &something);
    refused("in JVM_OnLoad");
    fails("RequestEvent(CLASS_LOAD, nonsense) in JVM_OnLoad", JVMPI_EVENT_CLASS_LOAD, &something);
    restore();
}

static void on_event(JVMPI_Event *event, int type)
{
    if (event->event_type & JVMPI_REQUESTED_EVENT) {
        seen = *event;
        seen_on = pthread_self();
        seen_count++;
        snprintf(seen_name, sizeof seen_name, "%s",
                 type == JVMPI_EVENT_CLASS_LOAD ? event->u.class_load.class_name : event->u.thread_start.thread_name);
        /* Agents request inside of requested events. */
        if (nested > 0) {
            nested--;
            expect("RequestEvent inside of a requested event",
                   jvmpi->RequestEvent(JVMPI_EVENT_THREAD_START, thread_named("main")->id), JVMPI_SUCCESS);
        }
        return;
    }
    if (type == JVMPI_EVENT_JVM_INIT_DONE) {
        enable_and_disable("in the JVM_INIT_DONE handler", NULL);
        refused("in the JVM_INIT_DONE handler");
        requests("in the JVM_INIT_DONE handler", event->env_id);
    }
    if (type == JVMPI_EVENT_JVM_SHUT_DOWN) {
        enable_and_disable("in the JVM_SHUT_DOWN handler", NULL);
        refused("in the JVM_SHUT_DOWN handler");
        requests("in the JVM_SHUT_DOWN handler", event->env_id);
    }
}

static void system_thread(void *argument)
{
    JNIEnv *env = NULL;

    (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_2);
    requests("on a system thread", env);
    *(volatile int *)&seen_count += 1000;
}

static void check(JNIEnv *env, const char *what)
{
    int before, result;

    enable_and_disable("in a native", NULL);
    refused("in a native");
    nonsense();
    requests("in a native", env);

    /* Requests do not ask what is enabled. */
    jvmpi->DisableEvent(JVMPI_EVENT_CLASS_LOAD, NULL);
    jvmpi->DisableEvent(JVMPI_EVENT_THREAD_START, NULL);
    requests("with the events disabled", env);
    restore();

    nested = 3;
    expect("RequestEvent with nested ones",
           jvmpi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, method_named("Events", "main")->class_id), JVMPI_SUCCESS);
    expect("all nested ones were sent", nested, 0);

    /* Nothing while NotifyEvent is NULL. */
    before = seen_count;
    jvmpi->NotifyEvent = NULL;
    result = jvmpi->RequestEvent(JVMPI_EVENT_THREAD_START, thread_named("main")->id);
    jvmpi->NotifyEvent = notify;
    verdict(seen_count == before, "nothing requested arrives while NotifyEvent is NULL", seen_count - before);
    verdict(result != JVMPI_SUCCESS, "and RequestEvent says so", result);

    before = seen_count;
    expect("CreateSystemThread", jvmpi->CreateSystemThread((char *)"requester", JVMPI_NORMAL_PRIORITY, system_thread), JNI_OK);
    while (*(volatile int *)&seen_count < before + 1000)
        sleep_ms(2);
    /* The id of a thread that has ended. */
    {
        long until = now_ms() + 20000;
        int i;

        for (i = thread_count - 1; i >= 0 && strcmp(threads[i].name, "requester") != 0; i--) {
        }
        while (i >= 0 && !*(volatile int *)&threads[i].ended && now_ms() < until)
            sleep_ms(1);
        verdict(i >= 0 && threads[i].ended, "the system thread has ended", i);
        /* It has told of that, and takes its leave yet. */
        while (task_named("requester") != 0 && now_ms() < until)
            sleep_ms(1);
        fails("RequestEvent(THREAD_START) of an ended thread", JVMPI_EVENT_THREAD_START, threads[i].id);
    }
}

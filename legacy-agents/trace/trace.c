/* Entry point, handler, and what follows an event. */
#include "trace.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

JVMPI_Interface *jvmpi;
JavaVM *java_vm;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long counts[EVENT_LIMIT];
static long requested_counts[EVENT_LIMIT];
static int counts_printed;
static __thread int requested_on_this_thread;

/* From GC_START to GC_FINISH this thread has the mutex, where both are told: nobody may wait
 * for anything in the events between, which are its own (JVMPI facts R17). */
static __thread int in_bracket;

void trace_lock(void)
{
    if (!in_bracket)
        pthread_mutex_lock(&mutex);
}

void trace_unlock(void)
{
    if (!in_bracket)
        pthread_mutex_unlock(&mutex);
}

int requested_here(void)
{
    return requested_on_this_thread;
}

static void print_counts(void)
{
    int event;

    if (counts_printed || !choice.counts)
        return;
    counts_printed = 1;
    for (event = 1; event < EVENT_LIMIT; event++)
        if (counts[event] != 0)
            say("COUNT %s %ld\n", event_name(event), counts[event]);
    for (event = 1; event < EVENT_LIMIT; event++)
        if (requested_counts[event] != 0)
            say("COUNT %s REQ %ld\n", event_name(event), requested_counts[event]);
}

static void at_exit(void)
{
    trace_lock();
    print_counts();
    flush();
    trace_unlock();
}

/* The answer to a request, where it is not the usual one. */
static void request(int event, void *argument)
{
    jint result = jvmpi->RequestEvent(event, argument);

    if (result == JVMPI_SUCCESS)
        return;
    trace_lock();
    say("    RequestEvent(%s)=%d\n", event_name(event), (int)result);
    flush();
    trace_unlock();
}

static void request_dumps(void)
{
    if (choice.asked[JVMPI_EVENT_MONITOR_DUMP])
        request(JVMPI_EVENT_MONITOR_DUMP, NULL);
    if (choice.asked[JVMPI_EVENT_HEAP_DUMP]) {
        JVMPI_HeapDumpArg level;

        for (level.heap_dump_level = 0; level.heap_dump_level <= 2; level.heap_dump_level++)
            request(JVMPI_EVENT_HEAP_DUMP, &level);
    }
}

/* The handler is left before anything is asked, so that what comes back is
 * handled in its turn. */
static void follow_up(const JVMPI_Event *event)
{
    int type = type_of(event);

    if (type == JVMPI_EVENT_JVM_INIT_DONE && choice.selftest)
        selftest(event->env_id);
    if (type == JVMPI_EVENT_DATA_DUMP_REQUEST || type == JVMPI_EVENT_JVM_SHUT_DOWN)
        request_dumps();
    if (is_requested(event) || event_name(type) == NULL || !choice.shown[type])
        return;
    if (type == JVMPI_EVENT_CLASS_LOAD && choice.asked[JVMPI_EVENT_OBJECT_DUMP])
        request(JVMPI_EVENT_OBJECT_DUMP, event->u.class_load.class_id);
    if (!choice.request)
        return;
    if (type == JVMPI_EVENT_CLASS_LOAD)
        request(type, event->u.class_load.class_id);
    else if (type == JVMPI_EVENT_THREAD_START)
        request(type, event->u.thread_start.thread_id);
    else if (type == JVMPI_EVENT_OBJECT_ALLOC)
        request(type, event->u.obj_alloc.obj_id);
}

static int wanted(const JVMPI_Event *event)
{
    int type = type_of(event);
    int known = event_name(type) != NULL;

    names_learn(event);
    return (!known || choice.shown[type]) && names_pass(event);
}

static void count(const JVMPI_Event *event)
{
    int type = type_of(event);

    if (event_name(type) == NULL)
        return;
    if (is_requested(event))
        requested_counts[type]++;
    else
        counts[type]++;
}

static void show(const JVMPI_Event *event)
{
    JVMPI_CallFrame frames[MAX_FRAMES];
    JVMPI_CallTrace trace = { event->env_id, 0, frames };

    if (choice.traces > 0)
        jvmpi->GetCallTrace(&trace, choice.traces);
    trace_lock();
    print_event(event);
    if (choice.traces > 0)
        print_frames(&trace);
    count(event);
    names_drop(event);
    flush();
    trace_unlock();
    follow_up(event);
}

static int is_enabled(int event)
{
    return choice.shown[event] || choice.needed[event];
}

static void enter_bracket(void)
{
    if (in_bracket || !is_enabled(JVMPI_EVENT_GC_FINISH))
        return;
    trace_lock();
    in_bracket = 1;
}

static void leave_bracket(void)
{
    if (!in_bracket)
        return;
    in_bracket = 0;
    trace_unlock();
}

static void notify(JVMPI_Event *event)
{
    int type = type_of(event);
    int show_it;

    if (type == JVMPI_EVENT_CLASS_LOAD_HOOK) {
        /* "No change" has to be said. */
        event->u.class_load_hook.new_class_data = event->u.class_load_hook.class_data;
        event->u.class_load_hook.new_class_data_len = event->u.class_load_hook.class_data_len;
    }
    requested_on_this_thread += is_requested(event);
    if (type == JVMPI_EVENT_GC_START)
        enter_bracket();
    trace_lock();
    show_it = wanted(event);
    if (!show_it)
        names_drop(event);
    trace_unlock();
    if (show_it)
        show(event);
    else if (type == JVMPI_EVENT_JVM_INIT_DONE && choice.selftest)
        selftest(event->env_id);
    if (type == JVMPI_EVENT_GC_FINISH)
        leave_bracket();
    if (type == JVMPI_EVENT_JVM_SHUT_DOWN)
        at_exit();
}

static void say_version(jint version)
{
    JVMPI_Interface *found = NULL;
    jint result = (*java_vm)->GetEnv(java_vm, (void **)&found, version);

    if (result == JNI_OK && jvmpi == NULL)
        jvmpi = found;
    if (choice.header)
        say("GetEnv(%x)=%d ver=%x\n", (unsigned)version, (int)result,
            result == JNI_OK && found != NULL ? (unsigned)found->version : 0u);
}

static void enable(int event)
{
    jint result = jvmpi->EnableEvent(event, NULL);

    if (!choice.header)
        return;
    /* Locked: where the VM is up already, events may come from here on. */
    trace_lock();
    say("EnableEvent(%s)=%d\n", event_name(event), (int)result);
    flush();
    trace_unlock();
}

/* These cannot be enabled. */
static int comes_on_request_only(int event)
{
    return event == JVMPI_EVENT_HEAP_DUMP || event == JVMPI_EVENT_MONITOR_DUMP || event == JVMPI_EVENT_OBJECT_DUMP;
}

static void enable_chosen(void)
{
    int event;

    for (event = 1; event < EVENT_LIMIT; event++)
        if (event_name(event) != NULL && !comes_on_request_only(event) && is_enabled(event))
            enable(event);
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    java_vm = vm;
    choose(options);
    say_version(JVMPI_VERSION_1);
    say_version(JVMPI_VERSION_1_1);
    say_version(JVMPI_VERSION_1_2);
    if (choice.header)
        say(reserved == NULL ? "opts=%s reserved=(nil)\n" : "opts=%s reserved=set\n", options != NULL ? options : "(null)");
    if (jvmpi != NULL) {
        flush();
        jvmpi->NotifyEvent = notify;
        enable_chosen();
        atexit(at_exit);
    }
    return jvmpi != NULL ? JNI_OK : JNI_ERR;
}

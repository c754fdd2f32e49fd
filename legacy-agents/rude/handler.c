/* NotifyEvent: rules that events must keep, and calls from inside handlers. */
#include "rude.h"

#include <stddef.h>

#define NESTING 3

static long seen[EVENT_LIMIT];
static int init_done;
static int exit_called;
static long shut_down_at; /* 0: not yet */
static JNIEnv *bracket;   /* the env between GC_START and GC_FINISH */
static __thread int nesting;
static __thread long requested;

long events_seen(void)
{
    long all = 0;
    int event;

    for (event = 0; event < EVENT_LIMIT; event++)
        all += __atomic_load_n(&seen[event], __ATOMIC_RELAXED);
    return all;
}

/* ---- rules ---- */

static void check_class_load(const JVMPI_Event *event)
{
    jint i;

    if (event->u.class_load.class_name == NULL || event->u.class_load.class_id == NULL)
        violation("CLASS_LOAD without name or id");
    if (event->u.class_load.num_methods > 0 && event->u.class_load.methods == NULL) {
        violation("CLASS_LOAD with %d methods at NULL", (int)event->u.class_load.num_methods);
        return;
    }
    for (i = 0; i < event->u.class_load.num_methods; i++) {
        const JVMPI_Method *method = &event->u.class_load.methods[i];

        if (method->method_name == NULL || method->method_signature == NULL || method->method_id == NULL)
            violation("CLASS_LOAD of %s: method %d is not described", event->u.class_load.class_name, (int)i);
    }
}

static void check_bracket(int type, const JVMPI_Event *event)
{
    JNIEnv *open = __atomic_load_n(&bracket, __ATOMIC_ACQUIRE);

    switch (type) {
    case JVMPI_EVENT_GC_START:
        if (open != NULL)
            violation("GC_START inside a bracket");
        __atomic_store_n(&bracket, event->env_id, __ATOMIC_RELEASE);
        break;
    case JVMPI_EVENT_GC_FINISH:
        if (open != event->env_id)
            violation("GC_FINISH on another thread than GC_START, or without one");
        __atomic_store_n(&bracket, NULL, __ATOMIC_RELEASE);
        break;
    case JVMPI_EVENT_OBJECT_FREE:
    case JVMPI_EVENT_OBJECT_MOVE:
    case JVMPI_EVENT_ARENA_DELETE:
        if (open == NULL)
            violation("%s outside a bracket", event_name(type));
        break;
    case JVMPI_EVENT_THREAD_START:
    case JVMPI_EVENT_CLASS_LOAD:
    case JVMPI_EVENT_METHOD_ENTRY:
    case JVMPI_EVENT_OBJECT_ALLOC:
        if (open != NULL && open == event->env_id)
            violation("%s on the thread of an open bracket", event_name(type));
        break;
    default:
        break;
    }
}

static void check_life(int type)
{
    if (type == JVMPI_EVENT_JVM_INIT_DONE && __atomic_exchange_n(&init_done, 1, __ATOMIC_ACQ_REL))
        violation("a second JVM_INIT_DONE");
    if (__atomic_load_n(&exit_called, __ATOMIC_ACQUIRE) && type == JVMPI_EVENT_JVM_SHUT_DOWN)
        violation("JVM_SHUT_DOWN after ProfilerExit");
    /* An event on its way may arrive a moment later. */
    if (shut_down_at != 0 && now_ms() - shut_down_at > 20)
        violation("%s after JVM_SHUT_DOWN", event_name(type));
    if (type == JVMPI_EVENT_JVM_SHUT_DOWN)
        shut_down_at = now_ms();
}

static void check_rules(int type, const JVMPI_Event *event)
{
    JNIEnv *env = own_env();

    /* A thread the VM does not know may have asked; then there is no env. */
    if (env == NULL && (event->event_type & JVMPI_REQUESTED_EVENT))
        return;
    if (event->env_id == NULL)
        violation("%s without env_id", event_name(type));
    else if (event->env_id != env)
        violation("%s: env_id is %p, but the thread's is %p", event_name(type), (void *)event->env_id, (void *)env);
    if (type == JVMPI_EVENT_CLASS_LOAD)
        check_class_load(event);
    if (event->event_type & JVMPI_REQUESTED_EVENT)
        return;
    check_life(type);
    check_bracket(type, event);
}

/* ---- calls from inside ---- */

/* A request is answered before it returns, on this thread, or it failed. */
static void request(jint type, void *argument)
{
    long before = requested;
    jint result = jvmpi->RequestEvent(type, argument);

    if (result == JVMPI_SUCCESS && requested == before)
        violation("RequestEvent(%s) succeeded without an event", event_name(type));
    if (result != JVMPI_SUCCESS && requested != before)
        violation("RequestEvent(%s)=%d, yet there was an event", event_name(type), (int)result);
}

static JVMPI_RawMonitor common_monitor(void)
{
    static JVMPI_RawMonitor monitor;
    static char name[] = "rude reentrant";
    JVMPI_RawMonitor found = __atomic_load_n(&monitor, __ATOMIC_ACQUIRE);
    JVMPI_RawMonitor none = NULL;

    if (found != NULL)
        return found;
    found = jvmpi->RawMonitorCreate(name);
    if (__atomic_compare_exchange_n(&monitor, &none, found, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return found;
    jvmpi->RawMonitorDestroy(found);
    return none;
}

static void toggle(int type)
{
    /* Those two come once; a moment of "off" might lose them. */
    if (type == JVMPI_EVENT_JVM_INIT_DONE || type == JVMPI_EVENT_JVM_SHUT_DOWN || event_name(type) == NULL)
        return;
    jvmpi->EnableEvent(type, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_ARENA_NEW, NULL);
    jvmpi->DisableEvent(JVMPI_EVENT_ARENA_NEW, NULL);
    jvmpi->DisableEvent(JVMPI_EVENT_ARENA_NEW, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_ARENA_NEW, NULL);
}

static void call_back(int type, const JVMPI_Event *event)
{
    JVMPI_CallFrame frames[16];
    JVMPI_CallTrace trace = { event->env_id, 0, frames };
    JVMPI_RawMonitor monitor = common_monitor();
    jobjectID thread;

    toggle(type);
    jvmpi->RawMonitorEnter(monitor);
    jvmpi->RawMonitorEnter(monitor);
    jvmpi->RawMonitorNotifyAll(monitor);
    jvmpi->GetCallTrace(&trace, 16);
    jvmpi->RawMonitorExit(monitor);
    jvmpi->RawMonitorExit(monitor);
    if (trace.num_frames < 0 || trace.num_frames > 16)
        violation("GetCallTrace in %s: %d frames of 16", event_name(type), (int)trace.num_frames);
    jvmpi->DisableGC();
    thread = jvmpi->GetThreadObject(event->env_id);
    if (thread != NULL)
        request(JVMPI_EVENT_THREAD_START, thread);
    if (type == JVMPI_EVENT_CLASS_LOAD)
        request(JVMPI_EVENT_CLASS_LOAD, event->u.class_load.class_id);
    if (trace.num_frames > 0) {
        jobjectID owner = jvmpi->GetMethodClass(frames[0].method_id);

        if (owner != NULL)
            request(JVMPI_EVENT_CLASS_LOAD, owner);
    }
    jvmpi->EnableGC();
}

/* Those that come by the million. */
static int is_frequent(int type)
{
    return type == JVMPI_EVENT_OBJECT_ALLOC || type == JVMPI_EVENT_OBJECT_FREE || type == JVMPI_EVENT_OBJECT_MOVE;
}

static void misbehave(int type, const JVMPI_Event *event, long count)
{
    static __thread unsigned long frequent;

    if (is_frequent(type) && frequent++ % 500 != 0)
        return;
    if (on[MODE_REENTRANT] && nesting <= NESTING)
        call_back(type, event);
    if (nesting > 1)
        return;
    if (on[MODE_SLOWHANDLER])
        nap_us(count % 7 * 30);
    /* Some of each kind: the calls are many. */
    if (count > 2 && count % 4096 != 0)
        return;
    if (on[MODE_NULL])
        call_with_null(event_name(type));
    if (on[MODE_NONSENSE])
        call_with_nonsense(event_name(type));
}

/* In a handler, on whatever thread begins first after the start. */
static void leave(void)
{
    if (__atomic_exchange_n(&exit_called, 1, __ATOMIC_ACQ_REL))
        return;
    jvmpi->ProfilerExit(exit_code);
    violation("ProfilerExit returned");
}

static void keep_books(int type, const JVMPI_Event *event)
{
    if (event->event_type & JVMPI_REQUESTED_EVENT)
        requested++;
    else if (type == JVMPI_EVENT_THREAD_START)
        threads_note_start(event);
    else if (type == JVMPI_EVENT_THREAD_END)
        threads_note_end(event->env_id);
}

void notify(JVMPI_Event *event)
{
    int type = event->event_type & ~JVMPI_REQUESTED_EVENT;
    long count;

    if (event_name(type) == NULL) {
        violation("an event that does not exist: %d", (int)event->event_type);
        return;
    }
    if (type == JVMPI_EVENT_CLASS_LOAD_HOOK)
        hook_answer(event);
    count = __atomic_add_fetch(&seen[type], 1, __ATOMIC_RELAXED);
    nesting++;
    check_rules(type, event);
    keep_books(type, event);
    if (type == JVMPI_EVENT_JVM_INIT_DONE)
        modes_start();
    misbehave(type, event, count);
    if (type == JVMPI_EVENT_THREAD_START && on[MODE_EXIT] && current_phase() == RUNNING)
        leave();
    if (type == JVMPI_EVENT_JVM_SHUT_DOWN)
        modes_finish();
    nesting--;
}

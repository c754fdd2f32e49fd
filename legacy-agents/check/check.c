/* Entry point and handler. */
#include "check.h"
#include "arenas.h"
#include "bracket.h"
#include "classes.h"
#include "drivers.h"
#include "frames.h"
#include "heap_dumps.h"
#include "methods.h"
#include "monitor_dumps.h"
#include "monitors.h"
#include "objects.h"
#include "options.h"
#include "phase.h"
#include "refs.h"
#include "report.h"
#include "requests.h"
#include "rules.h"
#include "settings.h"
#include "suspensions.h"
#include "threads.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

JVMPI_Interface *jvmpi;
JavaVM *java_vm;

static JVMPI_RawMonitor classic_lock;
static int locked_by_bracket;
static pid_t loaded_in;

static void init_done(void)
{
    phase_init_done();
    threads_init_done();
    classes_init_done();
    arenas_init_done();
    objects_init_done();
    drivers_start();
}

static void shut_down(void)
{
    phase_shut_down();
    drivers_stop();
    heap_dumps_at_the_end();
    report();
}

static void object_event(const JVMPI_Event *event)
{
    switch (type_of(event)) {
    case JVMPI_EVENT_OBJECT_ALLOC:
        object_alloc(event, is_requested(event));
        if (!is_requested(event)) {
            frames_look(event->env_id);
            ask_again(event);
        }
        break;
    case JVMPI_EVENT_OBJECT_FREE:
        object_free(event);
        break;
    case JVMPI_EVENT_OBJECT_MOVE:
        object_move(event);
        break;
    case JVMPI_EVENT_ARENA_NEW:
        arena_new(event);
        break;
    case JVMPI_EVENT_ARENA_DELETE:
        arena_delete(event);
        break;
    case JVMPI_EVENT_JNI_GLOBALREF_ALLOC:
    case JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC:
        ref_alloc(event, type_of(event) == JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC);
        break;
    case JVMPI_EVENT_JNI_GLOBALREF_FREE:
    case JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE:
        ref_free(event, type_of(event) == JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE);
        break;
    default:
        break;
    }
}

static void code_event(const JVMPI_Event *event)
{
    switch (type_of(event)) {
    case JVMPI_EVENT_METHOD_ENTRY:
        method_enter(event->u.method.method_id, JVMPI_EVENT_METHOD_ENTRY);
        break;
    case JVMPI_EVENT_METHOD_ENTRY2:
        if (event->u.method_entry2.obj_id != NULL) /* else static */
            object_named(event->u.method_entry2.obj_id, "the receiver", 0);
        method_enter(event->u.method_entry2.method_id, JVMPI_EVENT_METHOD_ENTRY2);
        break;
    case JVMPI_EVENT_METHOD_EXIT:
        method_exit(event->u.method.method_id);
        break;
    case JVMPI_EVENT_INSTRUCTION_START:
        method_named(event->u.instruction.method_id, "executed");
        break;
    case JVMPI_EVENT_COMPILED_METHOD_LOAD:
        compiled_load(event);
        break;
    case JVMPI_EVENT_COMPILED_METHOD_UNLOAD:
        compiled_unload(event);
        break;
    case JVMPI_EVENT_CLASS_LOAD:
        class_load(event, is_requested(event));
        break;
    case JVMPI_EVENT_CLASS_UNLOAD:
        class_unload(event);
        break;
    default:
        break;
    }
}

static void other_event(const JVMPI_Event *event)
{
    switch (type_of(event)) {
    case JVMPI_EVENT_THREAD_START:
        thread_start(event);
        break;
    case JVMPI_EVENT_THREAD_END:
        suspensions_hold();
        thread_end(event);
        suspensions_release();
        break;
    case JVMPI_EVENT_MONITOR_CONTENDED_ENTER:
    case JVMPI_EVENT_MONITOR_CONTENDED_ENTERED:
    case JVMPI_EVENT_MONITOR_CONTENDED_EXIT:
        monitor_contended(event);
        break;
    case JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER:
    case JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTERED:
    case JVMPI_EVENT_RAW_MONITOR_CONTENDED_EXIT:
        raw_monitor_contended(event);
        break;
    case JVMPI_EVENT_MONITOR_WAIT:
        monitor_wait(event);
        break;
    case JVMPI_EVENT_MONITOR_WAITED:
        monitor_waited(event);
        break;
    case JVMPI_EVENT_MONITOR_DUMP:
        monitor_dump(event);
        break;
    case JVMPI_EVENT_HEAP_DUMP:
        heap_dump(event);
        break;
    case JVMPI_EVENT_GC_FINISH:
        bracket_finish(event);
        break;
    case JVMPI_EVENT_JVM_INIT_DONE:
        init_done();
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        shut_down();
        break;
    default:
        break;
    }
}

/* ---- the option `lock` ---- */

/* Events of the thread-suspended mode, in which no monitor may be entered. */
static int is_suspended_mode(int type)
{
    return type == JVMPI_EVENT_OBJECT_FREE || type == JVMPI_EVENT_OBJECT_MOVE || type == JVMPI_EVENT_ARENA_DELETE;
}

/* With no GC_FINISH to come there is nothing to hold it until. */
static int begins_bracket(int type)
{
    return type == JVMPI_EVENT_GC_START && on(JVMPI_EVENT_GC_FINISH);
}

static void classic_enter(int type)
{
    if (classic_lock == NULL || is_suspended_mode(type) || type == JVMPI_EVENT_GC_FINISH)
        return;
    jvmpi->RawMonitorEnter(classic_lock);
    locked_by_bracket += begins_bracket(type);
}

static void classic_exit(int type)
{
    if (classic_lock == NULL || is_suspended_mode(type) || begins_bracket(type))
        return;
    if (type == JVMPI_EVENT_GC_FINISH && locked_by_bracket == 0)
        return;
    locked_by_bracket -= type == JVMPI_EVENT_GC_FINISH;
    jvmpi->RawMonitorExit(classic_lock);
}

/* ---- the handler ---- */

static int is_expected(const JVMPI_Event *event)
{
    int type = type_of(event);

    if (event_name(type) == NULL)
        violation(R25, "event number %d does not exist", (int)event->event_type);
    else if (is_requested(event))
        request_arrived(event);
    else if (!on(type))
        violation(R25, "this event is not enabled");
    else
        return 1;
    return event_name(type) != NULL && is_requested(event);
}

static void handle(const JVMPI_Event *event)
{
    int type = type_of(event);

    /* Before all else: who comes later than this is inside. */
    if (type == JVMPI_EVENT_GC_START)
        bracket_start(event);
    bracket_admit(event);
    thread_admit(event);
    classic_enter(type);
    object_event(event);
    code_event(event);
    other_event(event);
    classic_exit(type);
    if (type == JVMPI_EVENT_GC_FINISH)
        bracket_close();
}

static void notify(JVMPI_Event *event)
{
    int saved_errno = errno; /* handlers run in the middle of the program's own calls */
    const JVMPI_Event *outer_event = here.event;
    struct thread *outer_thread = here.thread;

    if (type_of(event) == JVMPI_EVENT_CLASS_LOAD_HOOK) {
        /* "No change" has to be said. */
        event->u.class_load_hook.new_class_data = event->u.class_load_hook.class_data;
        event->u.class_load_hook.new_class_data_len = event->u.class_load_hook.class_data_len;
    }
    here.depth++;
    here.event = event;
    here.thread = thread_live(event->env_id);
    if (phase_enter(event) && is_expected(event))
        handle(event);
    phase_leave(event);
    here.event = outer_event;
    here.thread = outer_thread;
    here.depth--;
    errno = saved_errno;
}

/* ---- the beginning and the end ---- */

static int is_dump(int event)
{
    return event == JVMPI_EVENT_HEAP_DUMP || event == JVMPI_EVENT_MONITOR_DUMP || event == JVMPI_EVENT_OBJECT_DUMP;
}

/* What is refused is off, and so are the rules that rest on it. */
static void enable(int event)
{
    jint result = jvmpi->EnableEvent(event, NULL);

    if (is_dump(event) || result != JVMPI_SUCCESS)
        settings.on[event] = 0;
    if (is_dump(event) && result != JVMPI_NOT_AVAILABLE)
        violation(R25, "EnableEvent(%s) gave %d, it can only be requested", event_name(event), (int)result);
    /* HotSpot had to be started with an option for this one. */
    if (!is_dump(event) && result != JVMPI_SUCCESS && event != JVMPI_EVENT_INSTRUCTION_START)
        violation(R25, "EnableEvent(%s) gave %d", event_name(event), (int)result);
}

static void enable_all(void)
{
    int event;

    for (event = 1; event < EVENT_LIMIT; event++)
        if (on(event))
            enable(event);
}

static void prepare(void)
{
    char name[] = "_jvmpi_check lock";

    phase_start();
    objects_start();
    refs_start();
    methods_start();
    drivers_prepare();
    suspensions_prepare();
    if (settings.lock)
        classic_lock = jvmpi->RawMonitorCreate(name);
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)reserved;
    java_vm = vm;
    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) != JNI_OK) {
        fprintf(stderr, "jvmpi_check: this VM has no JVMPI\n");
        return JNI_ERR;
    }
    settings_read(options);
    if (!rules_start())
        return JNI_ERR;
    prepare();
    jvmpi->NotifyEvent = notify;
    enable_all();
    loaded_in = getpid();
    return JNI_OK;
}

/* For programs that end without JVM_SHUT_DOWN; not for their forked children. */
static __attribute__((destructor)) void at_exit(void)
{
    if (loaded_in == getpid())
        report();
}

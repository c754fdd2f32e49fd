/* Breaks the rules of check=on, one by one, or keeps them.
 *
 *     -Xrunbreaks:break,RULE    breaks the rule        -Xrunbreaks:break    all of them
 *     -Xrunbreaks:keep,RULE     does the same right    -Xrunbreaks:keep
 *
 * What is done from a native method of the program is in `deeds`; what is done in
 * handlers or in JVM_OnLoad asks `breaks`. The order matters: the last ones leave a
 * mess behind. */
#define _GNU_SOURCE
#include <jni.h>
#include <jvmpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

static JVMPI_Interface *jvmpi;
static int bad;
static const char *only = "";

#define WORKERS 5
static JNIEnv *sleeper;
/* The memory of one may be a later thread's: then it is taken out again. */
static JNIEnv *ended[WORKERS];
static jobjectID freed[8];
static int freed_count, freeing;
static jobjectID passing_class;
static jmethodID passing_method, staying_method;
static volatile int unloaded;
static JVMPI_RawMonitor gc_lock;
static void *volatile spare;

/* What the handler of a requested THREAD_START does. */
static void (*in_handler)(JVMPI_Event *event);

static int breaks(const char *rule)
{
    return bad && (*only == 0 || strcmp(only, rule) == 0);
}

static int does(const char *rule)
{
    return *only == 0 || strcmp(only, rule) == 0;
}

static void request_own_start(JNIEnv *env, void (*handler)(JVMPI_Event *event))
{
    in_handler = handler;
    jvmpi->DisableGC();
    jvmpi->RequestEvent(JVMPI_EVENT_THREAD_START, jvmpi->GetThreadObject(env));
    jvmpi->EnableGC();
    in_handler = NULL;
}

/* ---- ids ---- */

static void stale_id(JNIEnv *env)
{
    JVMPI_RawMonitor lock = jvmpi->RawMonitorCreate("_gone");

    if (!bad) {
        jvmpi->RawMonitorEnter(lock);
        jvmpi->RawMonitorExit(lock);
    }
    jvmpi->RawMonitorDestroy(lock);
    if (bad)
        jvmpi->RawMonitorEnter(lock);
}

static void stale_thread(JNIEnv *env)
{
    int i = 0;

    while (i < WORKERS - 1 && ended[i] == NULL)
        i++;
    jvmpi->GetThreadStatus(bad ? ended[i] : env);
}

static void stale_object(JNIEnv *env)
{
    int i;

    freed_count = 0;
    freeing = 1;
    jvmpi->RunGC();
    freeing = 0;
    for (i = 0; bad && i < freed_count; i++) {
        jvmpi->DisableGC();
        jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, freed[i]);
        jvmpi->EnableGC();
    }
}

static void wait_for_unloading(void)
{
    int i;

    for (i = 0; i < 200 && !unloaded; i++) {
        jvmpi->RunGC();
        usleep(10000);
    }
}

static void stale_method(JNIEnv *env)
{
    wait_for_unloading();
    jvmpi->DisableGC();
    jvmpi->GetMethodClass(bad ? passing_method : staying_method);
    jvmpi->EnableGC();
}

static void stale_class(JNIEnv *env)
{
    wait_for_unloading();
    jvmpi->DisableGC();
    if (bad)
        jvmpi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, passing_class);
    jvmpi->EnableGC();
}

static void unknown_id(JNIEnv *env)
{
    jvmpi->GetThreadStatus(bad ? (JNIEnv *)0x123456780 : env);
}

/* Numbers that objects have had, but never a method. */
static void number_of_method(JNIEnv *env)
{
    int i;

    freed_count = 0;
    freeing = 1;
    jvmpi->RunGC();
    freeing = 0;
    jvmpi->DisableGC();
    for (i = 0; i < freed_count; i++)
        jvmpi->GetMethodClass(bad ? (jmethodID)freed[i] : staying_method);
    jvmpi->EnableGC();
}

static void wrong_kind(JNIEnv *env)
{
    jvmpi->DisableGC();
    jvmpi->RequestEvent(JVMPI_EVENT_THREAD_START, bad ? (void *)env : jvmpi->GetThreadObject(env));
    jvmpi->EnableGC();
}

/* ---- the collector ---- */

static void gc_enabled(JNIEnv *env)
{
    if (!bad)
        jvmpi->DisableGC();
    jvmpi->GetThreadObject(env);
    if (!bad)
        jvmpi->EnableGC();
}

static void gc_disabled(JNIEnv *env)
{
    if (bad)
        jvmpi->DisableGC();
    jvmpi->RunGC();
    if (bad)
        jvmpi->EnableGC();
}

static void enable_without_disable(JNIEnv *env)
{
    if (!bad)
        jvmpi->DisableGC();
    jvmpi->EnableGC();
}

static void collect(JNIEnv *env)
{
    freeing = 1;
    jvmpi->RunGC();
    freeing = 0;
}

static void gc_left_disabled(JNIEnv *env)
{
    jvmpi->DisableGC();
    if (!bad)
        jvmpi->EnableGC();
}

/* ---- suspending ---- */

static void enable_while_suspended(JNIEnv *env)
{
    jvmpi->DisableGC();
    jvmpi->SuspendThread(sleeper);
    if (bad)
        jvmpi->EnableGC();
    jvmpi->ResumeThread(sleeper);
    if (!bad)
        jvmpi->EnableGC();
}

static void blocks_while_suspended(JNIEnv *env)
{
    JVMPI_RawMonitor lock = jvmpi->RawMonitorCreate("_block");

    jvmpi->DisableGC();
    if (!bad)
        jvmpi->RawMonitorEnter(lock);
    jvmpi->SuspendThread(sleeper);
    jvmpi->RawMonitorEnter(lock);
    jvmpi->RawMonitorExit(lock);
    jvmpi->ResumeThread(sleeper);
    if (!bad)
        jvmpi->RawMonitorExit(lock);
    jvmpi->EnableGC();
    jvmpi->RawMonitorDestroy(lock);
}

static void allocates_while_suspended(JNIEnv *env)
{
    jvmpi->DisableGC();
    if (!bad)
        spare = malloc(100);
    jvmpi->SuspendThread(sleeper);
    if (bad)
        spare = malloc(100);
    jvmpi->ResumeThread(sleeper);
    jvmpi->EnableGC();
    free(spare);
}

static void never_resumed(JNIEnv *env)
{
    jvmpi->DisableGC();
    jvmpi->SuspendThread(sleeper);
    if (!bad)
        jvmpi->ResumeThread(sleeper);
    if (!bad)
        jvmpi->EnableGC();
}

static void suspend_not_paired(JNIEnv *env)
{
    jvmpi->DisableGC();
    if (!bad)
        jvmpi->SuspendThread(sleeper);
    jvmpi->ResumeThread(sleeper);
    jvmpi->EnableGC();
}

static void has_run(JNIEnv *env)
{
    jvmpi->DisableGC();
    if (!bad)
        jvmpi->SuspendThread(sleeper);
    jvmpi->ThreadHasRun(sleeper);
    if (!bad)
        jvmpi->ResumeThread(sleeper);
    jvmpi->EnableGC();
}

/* ---- raw monitors ---- */

static void monitor_not_owned(JNIEnv *env)
{
    JVMPI_RawMonitor lock = jvmpi->RawMonitorCreate("_owned");

    if (!bad)
        jvmpi->RawMonitorEnter(lock);
    jvmpi->RawMonitorNotifyAll(lock);
    if (!bad)
        jvmpi->RawMonitorExit(lock);
}

static void monitor_in_use(JNIEnv *env)
{
    JVMPI_RawMonitor lock = jvmpi->RawMonitorCreate("_used");

    jvmpi->RawMonitorEnter(lock);
    if (!bad)
        jvmpi->RawMonitorExit(lock);
    jvmpi->RawMonitorDestroy(lock);
}

static JVMPI_RawMonitor kept;

static void keep_lock(JVMPI_Event *event)
{
    jvmpi->RawMonitorEnter(kept);
    if (!bad)
        jvmpi->RawMonitorExit(kept);
}

static void monitor_kept(JNIEnv *env)
{
    kept = jvmpi->RawMonitorCreate("_kept");
    request_own_start(env, keep_lock);
    if (bad)
        jvmpi->RawMonitorExit(kept);
}

/* Entered in GC_START while it is there, and left in GC_FINISH. */
static JVMPI_RawMonitor volatile bracket_lock;
static int in_bracket;

static void enter_bracket(void)
{
    if (bracket_lock == NULL)
        return;
    jvmpi->RawMonitorEnter(bracket_lock);
    in_bracket = 1;
}

static void leave_bracket(void)
{
    if (in_bracket && !breaks("monitor-kept.gc"))
        jvmpi->RawMonitorExit(bracket_lock);
    in_bracket = 0;
}

static void monitor_kept_in_gc(JNIEnv *env)
{
    bracket_lock = jvmpi->RawMonitorCreate("_bracket");
    jvmpi->RunGC();
}

static void lock_order(JNIEnv *env)
{
    JVMPI_RawMonitor a = jvmpi->RawMonitorCreate("_a"), b = jvmpi->RawMonitorCreate("_b");

    jvmpi->RawMonitorEnter(a);
    jvmpi->RawMonitorEnter(b);
    jvmpi->RawMonitorExit(b);
    jvmpi->RawMonitorExit(a);
    jvmpi->RawMonitorEnter(bad ? b : a);
    jvmpi->RawMonitorEnter(bad ? a : b);
    jvmpi->RawMonitorExit(a);
    jvmpi->RawMonitorExit(b);
}

/* ---- handlers ---- */

static void notify(JVMPI_Event *event);

static void notify_otherwise(JVMPI_Event *event)
{
    notify(event);
}

static void notify_changed(JNIEnv *env)
{
    if (bad)
        jvmpi->NotifyEvent = notify_otherwise;
    request_own_start(env, NULL);
    jvmpi->NotifyEvent = notify;
    request_own_start(env, NULL);
}

static JVMPI_Event *kept_event, copied_event;

static void keep_event(JVMPI_Event *event)
{
    kept_event = event;
    copied_event = *event;
}

static void event_memory(JNIEnv *env)
{
    request_own_start(env, keep_event);
    jvmpi->GetThreadStatus((bad ? kept_event : &copied_event)->u.thread_start.thread_env_id);
}

static char *kept_name;

static void keep_name(JVMPI_Event *event)
{
    kept_name = bad ? event->u.thread_start.thread_name : strdup(event->u.thread_start.thread_name);
}

static void event_name(JNIEnv *env)
{
    request_own_start(env, keep_name);
    jvmpi->RawMonitorCreate(kept_name);
}

static void call_jni(JVMPI_Event *event)
{
    if (bad)
        (*event->env_id)->FindClass(event->env_id, "java/lang/String");
}

static void jni_in_handler(JNIEnv *env)
{
    request_own_start(env, call_jni);
    (*env)->FindClass(env, "java/lang/String");
}

static void sleep_in_handler(JVMPI_Event *event)
{
    usleep(bad ? 150000 : 1000);
}

static void slow_handler(JNIEnv *env)
{
    request_own_start(env, sleep_in_handler);
}

static struct _Unwind_Exception thrown;

static void throw_in_handler(JVMPI_Event *event)
{
    if (bad)
        _Unwind_RaiseException(&thrown);
}

static void exception_escapes(JNIEnv *env)
{
    request_own_start(env, throw_in_handler);
}

/* ---- arguments ---- */

static void slot_beyond_version(JNIEnv *env)
{
    jobject object = (*env)->FindClass(env, "java/lang/String");

    jvmpi->DisableGC();
    jvmpi->jobject2jobjectID(object);
    jvmpi->EnableGC();
}

static void bad_argument(JNIEnv *env)
{
    jvmpi->RawMonitorCreate(bad ? NULL : "_named");
}

static void agent_thread(void *argument)
{
}

static void bad_priority(JNIEnv *env)
{
    jvmpi->CreateSystemThread("worker of the agent", bad ? 7 : JVMPI_NORMAL_PRIORITY, agent_thread);
}

static void wrong_way(JNIEnv *env)
{
    jvmpi->EnableEvent(bad ? JVMPI_EVENT_HEAP_DUMP : JVMPI_EVENT_DATA_DUMP_REQUEST, NULL);
}

/* With a rule broken before it that is not in "keep". */
static void exit_in_handler(JVMPI_Event *event)
{
    jvmpi->EnableGC();
    jvmpi->GetThreadStatus(bad ? (JNIEnv *)0x123456780 : event->env_id);
    exit(0);
}

static void exits(JNIEnv *env)
{
    request_own_start(env, exit_in_handler);
}

static void nothing(JNIEnv *env)
{
}

static const struct deed {
    const char *rule;
    void (*act)(JNIEnv *env);
} deeds[] = {
    { "stale-id", stale_id },
    { "stale-id.thread", stale_thread },
    { "stale-id.object", stale_object },
    { "stale-id.method", stale_method },
    { "stale-id.class", stale_class },
    { "unknown-id", unknown_id },
    { "wrong-kind", wrong_kind },
    { "wrong-kind.method", number_of_method },
    { "gc-enabled", gc_enabled },
    { "gc-disabled", gc_disabled },
    { "enable-without-disable", enable_without_disable },
    { "enable-while-suspended", enable_while_suspended },
    { "blocks-while-suspended", blocks_while_suspended },
    { "allocates-while-suspended", allocates_while_suspended },
    { "blocks-in-gc", collect },
    { "allocates-in-gc", collect },
    { "suspend-not-paired", suspend_not_paired },
    { "has-run-unsuspended", has_run },
    { "monitor-not-owned", monitor_not_owned },
    { "monitor-in-use", monitor_in_use },
    { "monitor-kept", monitor_kept },
    { "monitor-kept.gc", monitor_kept_in_gc },
    { "lock-order", lock_order },
    { "before-init-done", nothing },
    { "notify-changed", notify_changed },
    { "event-memory", event_memory },
    { "event-memory.name", event_name },
    { "hook-protocol", nothing },
    { "jni-in-handler", jni_in_handler },
    { "slot-beyond-version", slot_beyond_version },
    { "bad-argument", bad_argument },
    { "bad-priority", bad_priority },
    { "wrong-way", wrong_way },
    { "slow-handler", slow_handler },
    { "exception-escapes", exception_escapes },
    { "never-resumed", never_resumed },
    { "gc-left-disabled", gc_left_disabled },
};

/* The program's Native.check. */
JNIEXPORT void JNICALL Java_Native_check(JNIEnv *env, jclass class, jstring what)
{
    size_t i;

    if (jvmpi->NotifyEvent == NULL)
        jvmpi->NotifyEvent = notify;
    if (strcmp(only, "exits") == 0)
        exits(env);
    for (i = 0; i < sizeof deeds / sizeof *deeds; i++)
        if (does(deeds[i].rule))
            deeds[i].act(env);
}

static void notify(JVMPI_Event *event)
{
    static int workers;
    int i;

    switch (event->event_type) {
    case JVMPI_EVENT_THREAD_START:
        for (i = 0; i < WORKERS; i++)
            if (ended[i] == event->u.thread_start.thread_env_id)
                ended[i] = NULL;
        if (strcmp(event->u.thread_start.thread_name, "sleeper") == 0)
            sleeper = event->u.thread_start.thread_env_id;
        if (strcmp(event->u.thread_start.thread_name, "worker") == 0)
            ended[__atomic_fetch_add(&workers, 1, __ATOMIC_RELAXED) % WORKERS] = event->u.thread_start.thread_env_id;
        break;
    case JVMPI_EVENT_THREAD_START | JVMPI_REQUESTED_EVENT:
        if (in_handler != NULL)
            in_handler(event);
        break;
    case JVMPI_EVENT_CLASS_LOAD:
        if (strncmp(event->u.class_load.class_name, "UnloadStorm$T0", 14) == 0) {
            passing_class = event->u.class_load.class_id;
            passing_method = event->u.class_load.methods[0].method_id;
        } else if (strcmp(event->u.class_load.class_name, "Checked") == 0) {
            staying_method = event->u.class_load.methods[0].method_id;
        }
        break;
    case JVMPI_EVENT_CLASS_UNLOAD:
        if (event->u.class_unload.class_id == passing_class)
            unloaded = 1;
        break;
    case JVMPI_EVENT_JVM_INIT_DONE:
        if (does("before-init-done") && !bad)
            jvmpi->CreateSystemThread("early", JVMPI_NORMAL_PRIORITY, agent_thread);
        break;
    case JVMPI_EVENT_CLASS_LOAD_HOOK:
        if (!breaks("hook-protocol")) {
            event->u.class_load_hook.new_class_data = event->u.class_load_hook.class_data;
            event->u.class_load_hook.new_class_data_len = event->u.class_load_hook.class_data_len;
        }
        break;
    case JVMPI_EVENT_GC_START:
        if (!breaks("blocks-in-gc"))
            jvmpi->RawMonitorEnter(gc_lock);
        enter_bracket();
        break;
    case JVMPI_EVENT_OBJECT_FREE:
        if (!freeing)
            break;
        if (freed_count < 8)
            freed[freed_count++] = event->u.obj_free.obj_id;
        jvmpi->RawMonitorEnter(gc_lock);
        jvmpi->RawMonitorExit(gc_lock);
        if (breaks("allocates-in-gc"))
            free(spare = malloc(16));
        break;
    case JVMPI_EVENT_GC_FINISH:
        leave_bracket();
        if (!breaks("blocks-in-gc"))
            jvmpi->RawMonitorExit(gc_lock);
        break;
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    static const jint events[] = { JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END, JVMPI_EVENT_JVM_INIT_DONE,
                                   JVMPI_EVENT_OBJECT_ALLOC, JVMPI_EVENT_OBJECT_FREE, JVMPI_EVENT_GC_START,
                                   JVMPI_EVENT_GC_FINISH, JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_CLASS_UNLOAD };
    size_t i;

    bad = strncmp(options, "break", 5) == 0;
    if (strchr(options, ',') != NULL)
        only = strdup(strchr(options, ',') + 1);
    if ((*vm)->GetEnv(vm, (void **)&jvmpi,
                      breaks("slot-beyond-version") ? JVMPI_VERSION_1 : JVMPI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    if (!(bad && strcmp(only, "notify-unset") == 0))
        jvmpi->NotifyEvent = notify;
    gc_lock = jvmpi->RawMonitorCreate("_gc");
    for (i = 0; i < sizeof events / sizeof *events; i++)
        jvmpi->EnableEvent(events[i], NULL);
    if (does("hook-protocol"))
        jvmpi->EnableEvent(JVMPI_EVENT_CLASS_LOAD_HOOK, NULL);
    if (breaks("before-init-done") || (bad && strcmp(only, "refuses") == 0))
        jvmpi->CreateSystemThread("early", JVMPI_NORMAL_PRIORITY, agent_thread);
    return strcmp(only, "refuses") == 0 ? JNI_ERR : JNI_OK;
}

/* Breaks the rules of check=on, one by one, or keeps them.
 *
 *     -Xrunbreaks:break,DEED    breaks the rule        -Xrunbreaks:break    all of them
 *     -Xrunbreaks:keep,DEED     does the same right    -Xrunbreaks:keep
 *
 * A deed is a rule, or "RULE.WAY" for another way to break it. What is done from a
 * native method of the program is in `deeds`; what is done in handlers or in JVM_OnLoad
 * asks `breaks`. The order matters: the last ones leave a mess behind. The test reads
 * `deeds`, and does each alone. */
#define _GNU_SOURCE
#include <jni.h>
#include <jvmpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

static JVMPI_Interface *jvmpi;
static int bad;
static const char *only = "";

#define NOTHING ((void *)0x123456780)

#define WORKERS 5
static JNIEnv *sleeper, *agent_env;
static volatile int agent_ended;
static jobjectID ended_object;
static jobjectID moved_from, moved_to;
/* The memory of one may be a later thread's: then it is taken out again. */
static JNIEnv *ended[WORKERS];
static jobjectID freed[8];
static int freed_count, freeing;
static jobjectID passing_class;
static jmethodID passing_method, staying_method;
static volatile int unloaded;
static JVMPI_RawMonitor gc_lock, in_gc;
static int initialising = 1;
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

/* The rule, in whatever way. */
static int is_about(const char *rule)
{
    return *only == 0 || strncmp(only, rule, strlen(rule)) == 0;
}

static void request_own_start(JNIEnv *env, void (*handler)(JVMPI_Event *event))
{
    in_handler = handler;
    jvmpi->DisableGC();
    jvmpi->RequestEvent(JVMPI_EVENT_THREAD_START, jvmpi->GetThreadObject(env));
    jvmpi->EnableGC();
    in_handler = NULL;
}

/* Runs this on a thread of the agent's, until its THREAD_END. */
static void on_a_thread(void (*body)(void *argument))
{
    int i;

    agent_ended = 0;
    jvmpi->CreateSystemThread("the agent's", JVMPI_NORMAL_PRIORITY, body);
    for (i = 0; i < 2000 && !agent_ended; i++)
        usleep(5000);
}

/* The id of a new string. */
static jobjectID plain_object(JNIEnv *env)
{
    jobject text = (*env)->NewStringUTF(env, "plain");
    jobjectID id;

    jvmpi->DisableGC();
    id = jvmpi->jobject2jobjectID(text);
    jvmpi->EnableGC();
    return id;
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

static void stale_thread_object(JNIEnv *env)
{
    jvmpi->DisableGC();
    jvmpi->RequestEvent(JVMPI_EVENT_THREAD_START, bad ? ended_object : jvmpi->GetThreadObject(env));
    jvmpi->EnableGC();
}

/* Needs ids=renumber. */
static void stale_moved(JNIEnv *env)
{
    jvmpi->RunGC();
    jvmpi->DisableGC();
    if (moved_from != NULL)
        jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, bad ? moved_from : moved_to);
    jvmpi->EnableGC();
}

static void unknown_id(JNIEnv *env)
{
    jvmpi->GetThreadStatus(bad ? NOTHING : env);
}

static void unknown_null(JNIEnv *env)
{
    jvmpi->GetThreadStatus(bad ? NULL : env);
}

static void unknown_object(JNIEnv *env)
{
    jvmpi->DisableGC();
    jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, bad ? NOTHING : jvmpi->GetThreadObject(env));
    jvmpi->EnableGC();
}

static void unknown_method(JNIEnv *env)
{
    jvmpi->DisableGC();
    jvmpi->GetMethodClass(bad ? NOTHING : staying_method);
    jvmpi->EnableGC();
}

static void unknown_monitor(JNIEnv *env)
{
    jvmpi->RawMonitorEnter(bad ? NOTHING : gc_lock);
    if (!bad)
        jvmpi->RawMonitorExit(gc_lock);
}

static void unknown_in_list(JNIEnv *env)
{
    JNIEnv *list[2];
    jint results[2];

    list[0] = sleeper;
    list[1] = NOTHING;
    jvmpi->DisableGC();
    jvmpi->SuspendThreadList(bad ? 2 : 1, list, results);
    jvmpi->ResumeThreadList(1, list, results);
    jvmpi->EnableGC();
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

static void wrong_kind_class(JNIEnv *env)
{
    jobjectID object = plain_object(env), class;

    jvmpi->DisableGC();
    class = jvmpi->GetMethodClass(staying_method);
    jvmpi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, bad ? object : class);
    jvmpi->EnableGC();
}

static void wrong_kind_env(JNIEnv *env)
{
    jobjectID thread;

    jvmpi->DisableGC();
    thread = jvmpi->GetThreadObject(env);
    jvmpi->GetThreadStatus(bad ? (JNIEnv *)thread : env);
    jvmpi->EnableGC();
}

static void wrong_kind_object(JNIEnv *env)
{
    jvmpi->DisableGC();
    jvmpi->jobjectID2jobject(bad ? (jobjectID)env : jvmpi->GetThreadObject(env));
    jvmpi->EnableGC();
}

static void wrong_kind_monitor(JNIEnv *env)
{
    JVMPI_RawMonitor lock = jvmpi->RawMonitorCreate("_kind");

    jvmpi->RawMonitorEnter(bad ? (JVMPI_RawMonitor)env : lock);
    if (!bad)
        jvmpi->RawMonitorExit(lock);
    jvmpi->RawMonitorDestroy(lock);
}

/* ---- the collector ---- */

/* Around what needs GC disabled. */
static void disable(void)
{
    if (!bad)
        jvmpi->DisableGC();
}

static void enable(void)
{
    if (!bad)
        jvmpi->EnableGC();
}

static void gc_enabled(JNIEnv *env)
{
    disable();
    jvmpi->GetThreadObject(env);
    enable();
}

static void gc_enabled_method(JNIEnv *env)
{
    disable();
    jvmpi->GetMethodClass(staying_method);
    enable();
}

static void gc_enabled_to_id(JNIEnv *env)
{
    jobject text = (*env)->NewStringUTF(env, "text");

    disable();
    jvmpi->jobject2jobjectID(text);
    enable();
}

static void gc_enabled_to_object(JNIEnv *env)
{
    jobjectID id = plain_object(env);

    disable();
    jvmpi->jobjectID2jobject(id);
    enable();
}

static void gc_enabled_request(JNIEnv *env, jint event, jobjectID id)
{
    disable();
    jvmpi->RequestEvent(event, id);
    enable();
}

static void gc_enabled_class(JNIEnv *env)
{
    jobjectID class;

    jvmpi->DisableGC();
    class = jvmpi->GetMethodClass(staying_method);
    jvmpi->EnableGC();
    gc_enabled_request(env, JVMPI_EVENT_CLASS_LOAD, class);
}

static void gc_enabled_start(JNIEnv *env)
{
    jobjectID thread;

    jvmpi->DisableGC();
    thread = jvmpi->GetThreadObject(env);
    jvmpi->EnableGC();
    gc_enabled_request(env, JVMPI_EVENT_THREAD_START, thread);
}

static void gc_enabled_alloc(JNIEnv *env)
{
    gc_enabled_request(env, JVMPI_EVENT_OBJECT_ALLOC, plain_object(env));
}

static void gc_enabled_dump(JNIEnv *env)
{
    gc_enabled_request(env, JVMPI_EVENT_OBJECT_DUMP, plain_object(env));
}

static void gc_enabled_suspend(JNIEnv *env)
{
    disable();
    jvmpi->SuspendThread(sleeper);
    jvmpi->ResumeThread(sleeper);
    enable();
}

static void gc_enabled_suspend_list(JNIEnv *env)
{
    jint result;

    disable();
    jvmpi->SuspendThreadList(1, &sleeper, &result);
    jvmpi->ResumeThreadList(1, &sleeper, &result);
    enable();
}

static void agent_thread(void *argument)
{
}

static void gc_disabled_thread(JNIEnv *env)
{
    if (bad)
        jvmpi->DisableGC();
    jvmpi->CreateSystemThread("collected", JVMPI_NORMAL_PRIORITY, agent_thread);
    if (bad)
        jvmpi->EnableGC();
}

static void collect_in_handler(JVMPI_Event *event)
{
    if (bad)
        jvmpi->RunGC();
    jvmpi->GetThreadObject(event->env_id);
}

static void gc_disabled_handler(JNIEnv *env)
{
    request_own_start(env, collect_in_handler);
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

static void forget_enable(void *argument)
{
    jvmpi->DisableGC();
    if (!bad)
        jvmpi->EnableGC();
}

static void gc_left_disabled_by_thread(JNIEnv *env)
{
    on_a_thread(forget_enable);
}

/* ---- suspending ---- */

static void suspend(void)
{
    jvmpi->DisableGC();
    jvmpi->SuspendThread(sleeper);
}

static void resume(void)
{
    jvmpi->ResumeThread(sleeper);
    jvmpi->EnableGC();
}

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

static void waits_while_suspended(JNIEnv *env)
{
    JVMPI_RawMonitor lock = jvmpi->RawMonitorCreate("_wait");

    jvmpi->RawMonitorEnter(lock);
    if (!bad)
        jvmpi->RawMonitorWait(lock, 1);
    suspend();
    if (bad)
        jvmpi->RawMonitorWait(lock, 1);
    resume();
    jvmpi->RawMonitorExit(lock);
}

static void creates_while_suspended(JNIEnv *env)
{
    if (!bad)
        jvmpi->RawMonitorCreate("_new");
    suspend();
    if (bad)
        jvmpi->RawMonitorCreate("_new");
    resume();
}

static void destroys_while_suspended(JNIEnv *env)
{
    JVMPI_RawMonitor lock = jvmpi->RawMonitorCreate("_old");

    suspend();
    if (bad)
        jvmpi->RawMonitorDestroy(lock);
    resume();
    if (!bad)
        jvmpi->RawMonitorDestroy(lock);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void locks_while_suspended(JNIEnv *env)
{
    if (!bad)
        pthread_mutex_lock(&mutex);
    suspend();
    if (bad)
        pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    resume();
}

static void jni_while_suspended(JNIEnv *env)
{
    suspend();
    if (bad)
        (*env)->GetVersion(env);
    resume();
    (*env)->GetVersion(env);
}

static void foreign_env(JNIEnv *env)
{
    JNIEnv *used = bad ? sleeper : env;

    (*used)->GetVersion(used);
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

static void suspended_twice(JNIEnv *env)
{
    suspend();
    if (bad)
        jvmpi->SuspendThread(sleeper);
    resume();
}

static void suspends_itself(JNIEnv *env)
{
    jvmpi->DisableGC();
    if (bad)
        jvmpi->SuspendThread(env);
    jvmpi->EnableGC();
}

static void suspended_twice_by_list(JNIEnv *env)
{
    JNIEnv *list[2];
    jint results[2];

    list[0] = list[1] = sleeper;
    jvmpi->DisableGC();
    jvmpi->SuspendThreadList(bad ? 2 : 1, list, results);
    jvmpi->ResumeThreadList(1, list, results);
    jvmpi->EnableGC();
}

static void resumed_by_list(JNIEnv *env)
{
    jint result;

    jvmpi->DisableGC();
    if (!bad)
        jvmpi->SuspendThread(sleeper);
    jvmpi->ResumeThreadList(1, &sleeper, &result);
    jvmpi->EnableGC();
}

static void list_never_resumed(JNIEnv *env)
{
    jint result;

    jvmpi->DisableGC();
    jvmpi->SuspendThreadList(1, &sleeper, &result);
    if (!bad)
        jvmpi->ResumeThreadList(1, &sleeper, &result);
    if (!bad)
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

static void exit_not_owned(JNIEnv *env)
{
    JVMPI_RawMonitor lock = jvmpi->RawMonitorCreate("_exit");

    if (!bad)
        jvmpi->RawMonitorEnter(lock);
    jvmpi->RawMonitorExit(lock);
}

static void wait_not_owned(JNIEnv *env)
{
    JVMPI_RawMonitor lock = jvmpi->RawMonitorCreate("_wait");

    if (!bad)
        jvmpi->RawMonitorEnter(lock);
    jvmpi->RawMonitorWait(lock, 1);
    if (!bad)
        jvmpi->RawMonitorExit(lock);
}

/* A monitor that another thread is inside of, or waits on, until `may_go`. */
static JVMPI_RawMonitor theirs;
static volatile int is_inside, may_go;

static void stay_inside(void *argument)
{
    jvmpi->RawMonitorEnter(theirs);
    is_inside = 1;
    while (!may_go)
        usleep(1000);
    jvmpi->RawMonitorExit(theirs);
}

static void start_inside(void (*body)(void *argument))
{
    theirs = jvmpi->RawMonitorCreate("_theirs");
    is_inside = may_go = agent_ended = 0;
    jvmpi->CreateSystemThread("the agent's", JVMPI_NORMAL_PRIORITY, body);
    while (!is_inside)
        usleep(1000);
}

static void notify_not_owned(JNIEnv *env)
{
    start_inside(stay_inside);
    if (bad)
        jvmpi->RawMonitorNotifyAll(theirs);
    may_go = 1;
}

static void wait_inside(void *argument)
{
    jvmpi->RawMonitorEnter(theirs);
    is_inside = 1;
    jvmpi->RawMonitorWait(theirs, 0);
    if (!bad)
        jvmpi->RawMonitorExit(theirs);
}

static void destroyed_under_waiter(JNIEnv *env)
{
    int i;

    start_inside(wait_inside);
    /* That it can be entered means that the other one waits. */
    jvmpi->RawMonitorEnter(theirs);
    if (!bad)
        jvmpi->RawMonitorNotifyAll(theirs);
    jvmpi->RawMonitorExit(theirs);
    for (i = 0; i < 2000 && !bad && !agent_ended; i++)
        usleep(5000);
    jvmpi->RawMonitorDestroy(theirs);
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

static void enter_and_end(void *argument)
{
    jvmpi->RawMonitorEnter(kept);
    if (!bad)
        jvmpi->RawMonitorExit(kept);
}

static void monitor_kept_by_thread(JNIEnv *env)
{
    kept = jvmpi->RawMonitorCreate("_kept");
    on_a_thread(enter_and_end);
}

/* GC_START enters `gc_lock`. */
static void lock_order_collector(JNIEnv *env)
{
    jvmpi->RunGC();
    if (!bad)
        jvmpi->DisableGC();
    jvmpi->RawMonitorEnter(gc_lock);
    if (bad)
        jvmpi->DisableGC();
    jvmpi->RawMonitorExit(gc_lock);
    jvmpi->EnableGC();
}

static void enter_both(JVMPI_RawMonitor outer, JVMPI_RawMonitor inner)
{
    jvmpi->RawMonitorEnter(outer);
    jvmpi->RawMonitorEnter(inner);
    jvmpi->RawMonitorExit(inner);
    jvmpi->RawMonitorExit(outer);
}

static void lock_order_of_three(JNIEnv *env)
{
    JVMPI_RawMonitor a = jvmpi->RawMonitorCreate("_1"), b = jvmpi->RawMonitorCreate("_2"),
                     c = jvmpi->RawMonitorCreate("_3");

    enter_both(a, b);
    enter_both(b, c);
    enter_both(bad ? c : a, bad ? a : c);
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

static void notify_unset_at_request(JNIEnv *env)
{
    if (bad)
        jvmpi->NotifyEvent = NULL;
    request_own_start(env, NULL);
    jvmpi->NotifyEvent = notify;
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

/* So many other events that their memory would have come round. */
static void event_reused(JNIEnv *env)
{
    int i;

    request_own_start(env, keep_event);
    for (i = 0; bad && i < 40000; i++)
        request_own_start(env, NULL);
    jvmpi->GetThreadStatus((bad ? kept_event : &copied_event)->u.thread_start.thread_env_id);
}

static void event_object(JNIEnv *env)
{
    request_own_start(env, keep_event);
    jvmpi->DisableGC();
    jvmpi->RequestEvent(JVMPI_EVENT_THREAD_START,
                        (bad ? kept_event : &copied_event)->u.thread_start.thread_id);
    jvmpi->EnableGC();
}

static JVMPI_Method *kept_methods;

/* The table is memory of the event, too. */
static void event_table(JNIEnv *env)
{
    jvmpi->DisableGC();
    jvmpi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, jvmpi->GetMethodClass(staying_method));
    jvmpi->GetMethodClass(bad ? kept_methods->method_id : staying_method);
    jvmpi->EnableGC();
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

static volatile int method_events;

static void exit_before_entry(JNIEnv *env)
{
    jobject text = (*env)->NewStringUTF(env, "a text");
    jmethodID trim = (*env)->GetMethodID(env, (*env)->GetObjectClass(env, text), "trim", "()Ljava/lang/String;");
    int i;

    method_events = 0;
    jvmpi->EnableEvent(bad ? JVMPI_EVENT_METHOD_EXIT : JVMPI_EVENT_METHOD_ENTRY, NULL);
    for (i = 0; i < 100000 && method_events == 0; i++)
        (*env)->CallObjectMethod(env, text, trim);
    jvmpi->EnableEvent(bad ? JVMPI_EVENT_METHOD_ENTRY : JVMPI_EVENT_METHOD_EXIT, NULL);
    jvmpi->DisableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL);
    jvmpi->DisableEvent(JVMPI_EVENT_METHOD_EXIT, NULL);
}

static void id_over_gc(JNIEnv *env)
{
    jobjectID thread;

    if (bad)
        jvmpi->DisableEvent(JVMPI_EVENT_OBJECT_MOVE, NULL);
    jvmpi->DisableGC();
    thread = jvmpi->GetThreadObject(env);
    jvmpi->EnableGC();
    jvmpi->RunGC();
    jvmpi->DisableGC();
    if (!bad)
        thread = jvmpi->GetThreadObject(env);
    jvmpi->RequestEvent(JVMPI_EVENT_THREAD_START, thread);
    jvmpi->EnableGC();
    jvmpi->EnableEvent(JVMPI_EVENT_OBJECT_MOVE, NULL);
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

static void jni_when_disabled(JNIEnv *env)
{
    jvmpi->DisableGC();
    if (bad)
        (*env)->GetVersion(env);
    jvmpi->EnableGC();
    (*env)->GetVersion(env);
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

static void throws(void *argument)
{
    if (bad)
        _Unwind_RaiseException(&thrown);
}

static void exception_escapes_thread(JNIEnv *env)
{
    on_a_thread(throws);
}

/* ---- arguments ---- */

static void slot_beyond_version(JNIEnv *env)
{
    jobject object = (*env)->FindClass(env, "java/lang/String");

    jvmpi->DisableGC();
    jvmpi->jobject2jobjectID(object);
    jvmpi->EnableGC();
}

static void slot_to_object(JNIEnv *env)
{
    jvmpi->DisableGC();
    jvmpi->jobjectID2jobject(jvmpi->GetThreadObject(env));
    jvmpi->EnableGC();
}

static void slot_suspend_list(JNIEnv *env)
{
    jint result;

    jvmpi->DisableGC();
    jvmpi->SuspendThreadList(1, &sleeper, &result);
    jvmpi->ResumeThread(sleeper);
    jvmpi->EnableGC();
}

static void slot_resume_list(JNIEnv *env)
{
    jint result;

    jvmpi->DisableGC();
    jvmpi->SuspendThread(sleeper);
    jvmpi->ResumeThreadList(1, &sleeper, &result);
    jvmpi->EnableGC();
}

static void bad_argument(JNIEnv *env)
{
    jvmpi->RawMonitorCreate(bad ? NULL : "_named");
}

static void bad_name(JNIEnv *env)
{
    jvmpi->RawMonitorCreate(bad ? NOTHING : "_named");
}

static void bad_thread_name(JNIEnv *env)
{
    jvmpi->CreateSystemThread(bad ? NULL : "named", JVMPI_NORMAL_PRIORITY, agent_thread);
}

static void bad_function(JNIEnv *env)
{
    jvmpi->CreateSystemThread("no function", JVMPI_NORMAL_PRIORITY, bad ? NULL : agent_thread);
}

static void bad_reference(JNIEnv *env)
{
    jobject text = (*env)->NewStringUTF(env, "text");

    jvmpi->DisableGC();
    jvmpi->jobject2jobjectID(bad ? NULL : text);
    jvmpi->EnableGC();
}

static void take_trace(JNIEnv *env, JVMPI_CallFrame *frames, jint depth)
{
    JVMPI_CallTrace trace;

    trace.env_id = env;
    trace.num_frames = 0;
    trace.frames = frames;
    jvmpi->GetCallTrace(&trace, depth);
}

static void bad_trace(JNIEnv *env)
{
    JVMPI_CallFrame frame;

    if (bad)
        jvmpi->GetCallTrace(NULL, 1);
    else
        take_trace(env, &frame, 1);
}

static void bad_frames(JNIEnv *env)
{
    take_trace(env, NULL, bad ? 1 : 0);
}

static void bad_depth(JNIEnv *env)
{
    JVMPI_CallFrame frame;

    take_trace(env, &frame, bad ? -1 : 1);
}

/* Both functions of lists, with this. */
static void take_list(jint count, JNIEnv **list, jint *results)
{
    jvmpi->DisableGC();
    jvmpi->SuspendThreadList(count, list, results);
    jvmpi->ResumeThreadList(count, list, results);
    jvmpi->EnableGC();
}

static void bad_count(JNIEnv *env)
{
    jint result;

    take_list(bad ? -1 : 1, &sleeper, &result);
}

static void huge_count(JNIEnv *env)
{
    jint result;

    take_list(bad ? 0x7fffffff : 1, &sleeper, &result);
}

static void bad_list(JNIEnv *env)
{
    jint result;

    take_list(bad ? 1 : 0, NULL, &result);
}

static void bad_results(JNIEnv *env)
{
    jint result;

    take_list(1, &sleeper, bad ? NULL : &result);
}

static void bad_event(JNIEnv *env)
{
    jvmpi->EnableEvent(bad ? 17 : JVMPI_EVENT_DATA_DUMP_REQUEST, NULL);
}

static void bad_request(JNIEnv *env)
{
    jvmpi->RequestEvent(bad ? 99 : JVMPI_EVENT_MONITOR_DUMP, NULL);
}

static void bad_priority(JNIEnv *env)
{
    jvmpi->CreateSystemThread("worker of the agent", bad ? 7 : JVMPI_NORMAL_PRIORITY, agent_thread);
}

static void wrong_way(JNIEnv *env)
{
    jvmpi->EnableEvent(bad ? JVMPI_EVENT_HEAP_DUMP : JVMPI_EVENT_DATA_DUMP_REQUEST, NULL);
}

static void wrong_way_monitors(JNIEnv *env)
{
    if (bad)
        jvmpi->EnableEvent(JVMPI_EVENT_MONITOR_DUMP, NULL);
    jvmpi->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, NULL);
}

static void wrong_way_object(JNIEnv *env)
{
    jobjectID object = plain_object(env);

    if (bad)
        jvmpi->EnableEvent(JVMPI_EVENT_OBJECT_DUMP, NULL);
    jvmpi->DisableGC();
    jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_DUMP, object);
    jvmpi->EnableGC();
}

static void wrong_way_request(JNIEnv *env)
{
    if (bad)
        jvmpi->RequestEvent(JVMPI_EVENT_GC_START, NULL);
    else
        jvmpi->RunGC();
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
    { "stale-id.thread-object", stale_thread_object },
    { "stale-id.object", stale_object },
    { "stale-id.moved", stale_moved },
    { "stale-id.method", stale_method },
    { "stale-id.class", stale_class },
    { "unknown-id", unknown_id },
    { "unknown-id.null", unknown_null },
    { "unknown-id.object", unknown_object },
    { "unknown-id.method", unknown_method },
    { "unknown-id.monitor", unknown_monitor },
    { "unknown-id.list", unknown_in_list },
    { "wrong-kind", wrong_kind },
    { "wrong-kind.class", wrong_kind_class },
    { "wrong-kind.env", wrong_kind_env },
    { "wrong-kind.object", wrong_kind_object },
    { "wrong-kind.monitor", wrong_kind_monitor },
    { "wrong-kind.method", number_of_method },
    { "gc-enabled", gc_enabled },
    { "gc-enabled.method", gc_enabled_method },
    { "gc-enabled.to-id", gc_enabled_to_id },
    { "gc-enabled.to-object", gc_enabled_to_object },
    { "gc-enabled.class", gc_enabled_class },
    { "gc-enabled.start", gc_enabled_start },
    { "gc-enabled.alloc", gc_enabled_alloc },
    { "gc-enabled.dump", gc_enabled_dump },
    { "gc-enabled.suspend", gc_enabled_suspend },
    { "gc-enabled.suspend-list", gc_enabled_suspend_list },
    { "gc-enabled.handler", nothing },
    { "gc-disabled", gc_disabled },
    { "gc-disabled.thread", gc_disabled_thread },
    { "gc-disabled.handler", gc_disabled_handler },
    { "enable-without-disable", enable_without_disable },
    { "enable-while-suspended", enable_while_suspended },
    { "blocks-while-suspended", blocks_while_suspended },
    { "blocks-while-suspended.wait", waits_while_suspended },
    { "blocks-while-suspended.create", creates_while_suspended },
    { "blocks-while-suspended.destroy", destroys_while_suspended },
    { "blocks-while-suspended.mutex", locks_while_suspended },
    { "allocates-while-suspended", allocates_while_suspended },
    { "blocks-in-gc", collect },
    { "blocks-in-gc.wait", collect },
    { "blocks-in-gc.create", collect },
    { "blocks-in-gc.destroy", collect },
    { "blocks-in-gc.mutex", collect },
    { "allocates-in-gc", collect },
    { "allocates-in-gc.stdio", collect },
    { "suspend-not-paired", suspend_not_paired },
    { "suspend-not-paired.twice", suspended_twice },
    { "suspend-not-paired.itself", suspends_itself },
    { "suspend-not-paired.list", suspended_twice_by_list },
    { "suspend-not-paired.resume-list", resumed_by_list },
    { "has-run-unsuspended", has_run },
    { "monitor-not-owned", monitor_not_owned },
    { "monitor-not-owned.exit", exit_not_owned },
    { "monitor-not-owned.wait", wait_not_owned },
    { "monitor-not-owned.theirs", notify_not_owned },
    { "monitor-in-use", monitor_in_use },
    { "monitor-in-use.waiter", destroyed_under_waiter },
    { "monitor-kept", monitor_kept },
    { "monitor-kept.gc", monitor_kept_in_gc },
    { "monitor-kept.thread", monitor_kept_by_thread },
    { "lock-order", lock_order },
    { "lock-order.three", lock_order_of_three },
    { "lock-order.collector", lock_order_collector },
    { "before-init-done", nothing },
    { "before-init-done.collect", nothing },
    { "before-init-done.suspend", nothing },
    { "before-init-done.suspend-list", nothing },
    { "before-init-done.heap", nothing },
    { "before-init-done.monitors", nothing },
    { "notify-unset.request", notify_unset_at_request },
    { "notify-changed", notify_changed },
    { "event-memory", event_memory },
    { "event-memory.reused", event_reused },
    { "event-memory.object", event_object },
    { "event-memory.table", event_table },
    { "event-memory.name", event_name },
    { "hook-protocol", nothing },
    { "hook-protocol.length", nothing },
    { "hook-protocol.other-length", nothing },
    { "hook-protocol.in-place", nothing },
    { "hook-protocol.foreign", nothing },
    { "hook-protocol.beyond", nothing },
    { "exit-before-entry", exit_before_entry },
    { "id-over-gc", id_over_gc },
    { "jni-in-handler", jni_in_handler },
    { "jni-in-handler.disabled", jni_when_disabled },
    { "jni-in-handler.suspended", jni_while_suspended },
    { "jni-in-handler.gc", collect },
    { "foreign-env", foreign_env },
    { "slot-beyond-version", slot_beyond_version },
    { "slot-beyond-version.to-object", slot_to_object },
    { "slot-beyond-version.suspend-list", slot_suspend_list },
    { "slot-beyond-version.resume-list", slot_resume_list },
    { "bad-argument", bad_argument },
    { "bad-argument.name", bad_name },
    { "bad-argument.thread-name", bad_thread_name },
    { "bad-argument.function", bad_function },
    { "bad-argument.reference", bad_reference },
    { "bad-argument.trace", bad_trace },
    { "bad-argument.frames", bad_frames },
    { "bad-argument.depth", bad_depth },
    { "bad-argument.count", bad_count },
    { "bad-argument.huge-count", huge_count },
    { "bad-argument.list", bad_list },
    { "bad-argument.results", bad_results },
    { "bad-argument.event", bad_event },
    { "bad-argument.request", bad_request },
    { "bad-priority", bad_priority },
    { "wrong-way", wrong_way },
    { "wrong-way.monitors", wrong_way_monitors },
    { "wrong-way.object", wrong_way_object },
    { "wrong-way.request", wrong_way_request },
    { "slow-handler", slow_handler },
    { "exception-escapes", exception_escapes },
    { "exception-escapes.thread", exception_escapes_thread },
    { "never-resumed", never_resumed },
    { "gc-left-disabled.thread", gc_left_disabled_by_thread },
    { "never-resumed.list", list_never_resumed },
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

/* In a handler of the bracket. */
static void in_the_bracket(JVMPI_Event *event)
{
    static JVMPI_RawMonitor made;

    if (breaks("blocks-in-gc.wait"))
        jvmpi->RawMonitorWait(gc_lock, 1);
    if (made == NULL && breaks("blocks-in-gc.create"))
        made = jvmpi->RawMonitorCreate("_made");
    if (in_gc != NULL && breaks("blocks-in-gc.destroy")) {
        jvmpi->RawMonitorDestroy(in_gc);
        in_gc = NULL;
    }
    if (breaks("blocks-in-gc.mutex")) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    if (breaks("allocates-in-gc"))
        free(spare = malloc(16));
    if (breaks("allocates-in-gc.stdio"))
        fflush(stderr);
    if (breaks("jni-in-handler.gc"))
        (*event->env_id)->GetVersion(event->env_id);
}

static void answer_hook(JVMPI_Event *event)
{
    unsigned char *data = event->u.class_load_hook.class_data, *copy;
    jint len = event->u.class_load_hook.class_data_len;

    event->u.class_load_hook.new_class_data = data;
    event->u.class_load_hook.new_class_data_len = len;
    if (breaks("hook-protocol")) {
        event->u.class_load_hook.new_class_data = NULL;
    } else if (breaks("hook-protocol.length")) {
        event->u.class_load_hook.new_class_data_len = 0;
    } else if (breaks("hook-protocol.other-length")) {
        event->u.class_load_hook.new_class_data_len = len + 1;
    } else if (breaks("hook-protocol.foreign")) {
        event->u.class_load_hook.new_class_data = memcpy(malloc(len), data, len);
    } else if (len % 16 != 9 && breaks("hook-protocol.beyond")) {
        /* glibc's malloc gives that one byte more. */
        event->u.class_load_hook.new_class_data = memcpy(event->u.class_load_hook.malloc_f(len - 1), data, len);
    } else {
        copy = memcpy(event->u.class_load_hook.malloc_f(len), data, len);
        event->u.class_load_hook.new_class_data = copy;
        if (breaks("hook-protocol.in-place"))
            data[0] ^= 1;
    }
}

static void at_init_done(JVMPI_Event *event)
{
    if (is_about("before-init-done") && !bad) {
        jvmpi->CreateSystemThread("early", JVMPI_NORMAL_PRIORITY, agent_thread);
        jvmpi->RunGC();
        jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, NULL);
        jvmpi->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, NULL);
    }
    if (is_about("gc-enabled.handler")) {
        disable();
        jvmpi->GetThreadObject(event->env_id);
        enable();
    }
}

/* The start of a thread of the VM's, told by another one. */
static void before_init_done(JVMPI_Event *event)
{
    JNIEnv *env = event->u.thread_start.thread_env_id;
    jint result;

    if (env == event->env_id)
        return;
    initialising = 0;
    if (breaks("before-init-done.suspend")) {
        jvmpi->SuspendThread(env);
        jvmpi->ResumeThread(env);
    }
    if (breaks("before-init-done.suspend-list")) {
        jvmpi->SuspendThreadList(1, &env, &result);
        jvmpi->ResumeThreadList(1, &env, &result);
    }
}

static void notify(JVMPI_Event *event)
{
    static int workers;
    int i;

    switch (event->event_type) {
    case JVMPI_EVENT_THREAD_START:
        if (initialising)
            before_init_done(event);
        for (i = 0; i < WORKERS; i++)
            if (ended[i] == event->u.thread_start.thread_env_id)
                ended[i] = NULL;
        if (strcmp(event->u.thread_start.thread_name, "sleeper") == 0)
            sleeper = event->u.thread_start.thread_env_id;
        if (strcmp(event->u.thread_start.thread_name, "worker") == 0)
            ended[__atomic_fetch_add(&workers, 1, __ATOMIC_RELAXED) % WORKERS] = event->u.thread_start.thread_env_id;
        if (strcmp(event->u.thread_start.thread_name, "worker") == 0)
            ended_object = event->u.thread_start.thread_id;
        if (strcmp(event->u.thread_start.thread_name, "the agent's") == 0)
            agent_env = event->u.thread_start.thread_env_id;
        break;
    case JVMPI_EVENT_THREAD_END:
        if (event->env_id == agent_env)
            agent_ended = 1;
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
    case JVMPI_EVENT_CLASS_LOAD | JVMPI_REQUESTED_EVENT:
        kept_methods = event->u.class_load.methods;
        break;
    case JVMPI_EVENT_OBJECT_MOVE:
        if (moved_from == NULL) {
            moved_from = event->u.obj_move.obj_id;
            moved_to = event->u.obj_move.new_obj_id;
        }
        break;
    case JVMPI_EVENT_CLASS_UNLOAD:
        if (event->u.class_unload.class_id == passing_class)
            unloaded = 1;
        break;
    case JVMPI_EVENT_JVM_INIT_DONE:
        at_init_done(event);
        break;
    case JVMPI_EVENT_CLASS_LOAD_HOOK:
        answer_hook(event);
        break;
    case JVMPI_EVENT_METHOD_ENTRY:
    case JVMPI_EVENT_METHOD_EXIT:
        method_events = 1;
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
        in_the_bracket(event);
        break;
    case JVMPI_EVENT_GC_FINISH:
        leave_bracket();
        if (!breaks("blocks-in-gc"))
            jvmpi->RawMonitorExit(gc_lock);
        break;
    }
}

/* The version that has what the deed calls, unless that is what is wrong. */
static jint version(void)
{
    if (breaks("slot-beyond-version") || breaks("slot-beyond-version.to-object"))
        return JVMPI_VERSION_1;
    if (bad && strstr(only, "slot-beyond-version.") == only)
        return JVMPI_VERSION_1_1;
    return JVMPI_VERSION_1_2;
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    static const jint events[] = { JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END, JVMPI_EVENT_JVM_INIT_DONE,
                                   JVMPI_EVENT_OBJECT_ALLOC, JVMPI_EVENT_OBJECT_FREE, JVMPI_EVENT_OBJECT_MOVE,
                                   JVMPI_EVENT_GC_START, JVMPI_EVENT_GC_FINISH, JVMPI_EVENT_CLASS_LOAD,
                                   JVMPI_EVENT_CLASS_UNLOAD };
    size_t i;

    bad = strncmp(options, "break", 5) == 0;
    if (strchr(options, ',') != NULL)
        only = strdup(strchr(options, ',') + 1);
    if ((*vm)->GetEnv(vm, (void **)&jvmpi, version()) != JNI_OK)
        return JNI_ERR;
    if (!(bad && strcmp(only, "notify-unset") == 0))
        jvmpi->NotifyEvent = notify;
    gc_lock = jvmpi->RawMonitorCreate("_gc");
    in_gc = jvmpi->RawMonitorCreate("_in_gc");
    for (i = 0; i < sizeof events / sizeof *events; i++)
        jvmpi->EnableEvent(events[i], NULL);
    if (is_about("hook-protocol"))
        jvmpi->EnableEvent(JVMPI_EVENT_CLASS_LOAD_HOOK, NULL);
    if (breaks("before-init-done") || (bad && strcmp(only, "refuses") == 0))
        jvmpi->CreateSystemThread("early", JVMPI_NORMAL_PRIORITY, agent_thread);
    if (breaks("before-init-done.collect"))
        jvmpi->RunGC();
    if (breaks("before-init-done.heap"))
        jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, NULL);
    if (breaks("before-init-done.monitors"))
        jvmpi->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, NULL);
    if (bad && strcmp(only, "throws") == 0)
        throws(NULL);
    return strcmp(only, "refuses") == 0 ? JNI_ERR : JNI_OK;
}

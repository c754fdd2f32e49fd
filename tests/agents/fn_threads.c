/* GetThreadStatus, ThreadHasRun, SuspendThread(List), ResumeThread(List),
 * thread-local storage, CreateSystemThread, GetCurrentThreadCpuTime (JVMPI facts
 * B.6 to B.11). */
#include "check.h"
#include "tasks.h"

#define SUSPENDED JVMPI_THREAD_SUSPENDED
#define INTERRUPTED JVMPI_THREAD_INTERRUPTED

static int wall;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END,
                                  JVMPI_EVENT_JVM_SHUT_DOWN, 0 };

    wall = strcmp(options, "wall") == 0;
    enable_all(events);
}

/* ---- status ---- */

static const struct {
    const char *name;
    jint status;
} states[] = {
    { "spinning", JVMPI_THREAD_RUNNABLE },
    { "interrupted", JVMPI_THREAD_RUNNABLE | INTERRUPTED },
    { "native", JVMPI_THREAD_RUNNABLE },
    { "sleeping", JVMPI_THREAD_CONDVAR_WAIT },
    { "waiting", JVMPI_THREAD_CONDVAR_WAIT },
    { "waiting-timed", JVMPI_THREAD_CONDVAR_WAIT },
    { "parked", JVMPI_THREAD_CONDVAR_WAIT },
    { "parked-timed", JVMPI_THREAD_CONDVAR_WAIT },
    { "blocked", JVMPI_THREAD_MONITOR_WAIT },
};
enum { STATES = sizeof states / sizeof states[0] };

/* A thread may still be on its way to where it waits. */
static jint status_soon(JNIEnv *env, jint right)
{
    long began = 0;
    jint seen;

    do
        seen = jvmpi->GetThreadStatus(env);
    while (seen != right && is_patient(&began));
    return seen;
}

/* 4 checks per state, and one. */
static void status(void)
{
    char what[100];
    int i;

    /* It waits inside the VM, and JVMTI says that it runs. */
    expect("GetThreadStatus of the Reference Handler",
           status_soon(env_named("Reference Handler"), JVMPI_THREAD_CONDVAR_WAIT), JVMPI_THREAD_CONDVAR_WAIT);
    for (i = 0; i < STATES; i++) {
        JNIEnv *env = env_named(states[i].name);

        snprintf(what, sizeof what, "GetThreadStatus of %s", states[i].name);
        expect(what, status_soon(env, states[i].status), states[i].status);
        jvmpi->DisableGC();
        jvmpi->SuspendThread(env);
        snprintf(what, sizeof what, "GetThreadStatus of %s, suspended", states[i].name);
        expect(what, status_soon(env, states[i].status | SUSPENDED), states[i].status | SUSPENDED);
        /* Not counted: one resume undoes two suspends. */
        jvmpi->SuspendThread(env);
        snprintf(what, sizeof what, "GetThreadStatus of %s, suspended twice", states[i].name);
        expect(what, jvmpi->GetThreadStatus(env), states[i].status | SUSPENDED);
        jvmpi->ResumeThread(env);
        jvmpi->EnableGC();
        snprintf(what, sizeof what, "GetThreadStatus of %s, resumed", states[i].name);
        expect(what, status_soon(env, states[i].status), states[i].status);
    }
}

/* ---- ThreadHasRun ---- */

/* Suspends, asks, resumes; the answer. */
static int has_run(JNIEnv *env)
{
    int answer;

    jvmpi->SuspendThread(env);
    answer = jvmpi->ThreadHasRun(env);
    jvmpi->ResumeThread(env);
    return answer;
}

/* 4 checks. */
static void runs(void)
{
    JNIEnv *spinning = env_named("spinning"), *waiting = env_named("waiting");
    int i, spun = 0, idle = 0, tid = task_named("spinning");

    /* On a loaded machine it takes a while to run again. */
    verdict(task_runs(task_named("spinning")), "the spinning thread runs", 0);
    jvmpi->DisableGC();
    expect("ThreadHasRun of a spinning thread, at first", has_run(spinning), 1);
    has_run(waiting);
    for (i = 0; i < 20; i++) {
        long long nanos = task_nanos(tid);

        sleep_ms(10);
        /* Where much else runs it may have had no processor. */
        if (!task_has_had_more(tid, nanos)) {
            say("FAIL the spinning thread gets no processor");
            break;
        }
        spun += has_run(spinning);
        idle += has_run(waiting);
    }
    expect("ThreadHasRun of a spinning thread", spun, 20);
    expect("ThreadHasRun of a waiting thread", idle, 0);
    jvmpi->EnableGC();
}

/* ---- suspending lists ---- */

/* 14 checks. */
static void lists(JNIEnv *own)
{
    static long nothing[8];
    JNIEnv *list[5];
    jint results[6] = { 77, 77, 77, 77, 77, 77 };

    list[0] = env_named("spinning");
    list[1] = NULL;
    list[2] = env_named("waiting");
    list[3] = (JNIEnv *)nothing;
    list[4] = own; /* nobody could resume it */
    jvmpi->DisableGC();
    jvmpi->SuspendThreadList(5, list, results);
    expect("SuspendThreadList: a thread", results[0], 0);
    verdict(results[1] != 0 && results[1] != 77, "SuspendThreadList: NULL", results[1]);
    expect("SuspendThreadList: another thread", results[2], 0);
    verdict(results[3] != 0 && results[3] != 77, "SuspendThreadList: nonsense", results[3]);
    verdict(results[4] != 0 && results[4] != 77, "SuspendThreadList: the caller", results[4]);
    expect("SuspendThreadList: nothing behind the results", results[5], 77);
    expect("suspended", status_soon(list[0], 1 | SUSPENDED), 1 | SUSPENDED);
    expect("suspended too", status_soon(list[2], 3 | SUSPENDED), 3 | SUSPENDED);
    jvmpi->SuspendThreadList(1, list, results);
    verdict(results[0] != 77, "SuspendThreadList of a suspended thread gives a result", results[0]);
    memset(results, 0x55, sizeof results);
    jvmpi->ResumeThreadList(5, list, results);
    expect("ResumeThreadList: a thread", results[0], 0);
    verdict(results[1] != 0 && results[3] != 0, "ResumeThreadList: NULL and nonsense", results[1]);
    expect("ResumeThreadList: another thread", results[2], 0);
    expect("resumed", status_soon(list[0], 1), 1);
    expect("resumed too", status_soon(list[2], 3), 3);
    /* Nothing to do, nothing to write to. */
    jvmpi->SuspendThreadList(0, NULL, NULL);
    jvmpi->ResumeThreadList(0, NULL, NULL);
    jvmpi->SuspendThreadList(-1, list, results);
    jvmpi->SuspendThreadList(1, NULL, results);
    jvmpi->SuspendThreadList(1, list, NULL);
    jvmpi->ResumeThreadList(1, list, NULL);
    jvmpi->EnableGC();
}

/* A suspended thread does not go on. 2 checks. */
static void stands_still(JNIEnv *env)
{
    jlong before, after;

    jvmpi->DisableGC();
    jvmpi->SuspendThread(env);
    /* It stops at its next step; then it uses no more time. */
    if (!task_rests(task_named("spinning"), 0))
        say("FAIL a suspended thread does not come to rest");
    jvmpi->SuspendThread(env);
    before = jvmpi->ThreadHasRun(env);
    sleep_ms(50);
    jvmpi->SuspendThread(env);
    after = jvmpi->ThreadHasRun(env);
    jvmpi->ResumeThread(env);
    jvmpi->EnableGC();
    verdict(after == 0, "a suspended thread stands still", before);
    expect("a resumed one goes on", status_soon(env, 1), 1);
}

/* ---- local storage ---- */

/* 9 checks. */
static void storage(JNIEnv *own)
{
    JNIEnv *other = env_named("spinning");
    static long nothing[8];
    static int one, two;

    expect("GetThreadLocalStorage of oneself at first", (long)jvmpi->GetThreadLocalStorage(own), 0);
    expect("GetThreadLocalStorage of another at first", (long)jvmpi->GetThreadLocalStorage(other), 0);
    jvmpi->SetThreadLocalStorage(own, &one);
    jvmpi->SetThreadLocalStorage(other, &two);
    expect("GetThreadLocalStorage of oneself", (long)jvmpi->GetThreadLocalStorage(own), (long)&one);
    expect("GetThreadLocalStorage of another", (long)jvmpi->GetThreadLocalStorage(other), (long)&two);
    jvmpi->SetThreadLocalStorage(own, NULL);
    expect("GetThreadLocalStorage set back", (long)jvmpi->GetThreadLocalStorage(own), 0);
    expect("of another, still", (long)jvmpi->GetThreadLocalStorage(other), (long)&two);
    jvmpi->SetThreadLocalStorage((JNIEnv *)nothing, &one);
    jvmpi->SetThreadLocalStorage(NULL, &one);
    expect("GetThreadLocalStorage of nonsense", (long)jvmpi->GetThreadLocalStorage((JNIEnv *)nothing), 0);
    expect("GetThreadLocalStorage of NULL", (long)jvmpi->GetThreadLocalStorage(NULL), 0);
    expect("nothing was written there", nothing[0] | nothing[1] | nothing[7], 0);
}

/* ---- system threads ---- */

static volatile int entered;
static void *argument_seen = &argument_seen;
static JNIEnv *entered_env, *started_env;
static volatile int started_before_return, daemon_seen, priority_seen;

static void entry(void *argument)
{
    jclass class;
    jobject self;

    argument_seen = argument;
    (*vm)->GetEnv(vm, (void **)&entered_env, JNI_VERSION_1_2);
    if (entered_env != NULL) {
        JNIEnv *env = entered_env;

        class = (*env)->FindClass(env, "java/lang/Thread");
        self = (*env)->CallStaticObjectMethod(
            env, class, (*env)->GetStaticMethodID(env, class, "currentThread", "()Ljava/lang/Thread;"));
        if (!(*env)->ExceptionCheck(env))
            daemon_seen = (*env)->CallBooleanMethod(env, self, (*env)->GetMethodID(env, class, "isDaemon", "()Z"));
        if (!(*env)->ExceptionCheck(env))
            priority_seen = (*env)->CallIntMethod(env, self, (*env)->GetMethodID(env, class, "getPriority", "()I"));
    }
    __sync_fetch_and_add(&entered, 1);
}

static void system_threads(void)
{
    static const struct {
        jint asked, given;
    } priorities[] = { { 1, 1 }, { 5, 5 }, { 10, 10 }, { 0, 1 }, { 11, 10 }, { -7, 1 } };
    unsigned i;

    for (i = 0; i < sizeof priorities / sizeof priorities[0]; i++) {
        char name[30] = "checker", what[100];
        int before = entered;
        long waits = 0;
        jint result;

        started_env = entered_env = NULL;
        argument_seen = &argument_seen;
        snprintf(name, sizeof name, "checker-%u", i);
        result = jvmpi->CreateSystemThread(name, priorities[i].asked, entry);
        started_before_return = started_env != NULL;
        memset(name, 'x', sizeof name - 1); /* the name is copied */
        snprintf(what, sizeof what, "CreateSystemThread with priority %d", (int)priorities[i].asked);
        expect(what, result, JNI_OK);
        expect("its THREAD_START came before it returned", started_before_return, 1);
        while (entered == before && is_patient(&waits))
            sleep_ms(1);
        expect("its function ran once", entered, before + 1);
        expect("with NULL as argument", (long)argument_seen, 0);
        verdict(entered_env != NULL && entered_env == started_env, "with the JNIEnv of its THREAD_START", (long)entered_env);
        expect("as a daemon", daemon_seen, 1);
        expect("with the priority, cut to 1..10", priority_seen, priorities[i].given);
    }
    expect("CreateSystemThread without a function", jvmpi->CreateSystemThread((char *)"none", 5, NULL), JNI_ERR);
    expect("CreateSystemThread without a name", jvmpi->CreateSystemThread(NULL, 5, entry), JNI_ERR);
}

/* ---- CPU time ---- */

/* 4 checks. */
static void cpu_time(void)
{
    int tid = (int)syscall(SYS_gettid);
    jlong before, asleep, awake, asleep_at_most, awake_at_most;
    long long burns;
    long began = now_ms(), waits = 0;

    before = jvmpi->GetCurrentThreadCpuTime();
    sleep_ms(100);
    asleep = jvmpi->GetCurrentThreadCpuTime() - before;
    asleep_at_most = (now_ms() + 1 - began) * 1000000LL;
    began = now_ms();
    before = jvmpi->GetCurrentThreadCpuTime();
    /* Where there are many programs for two cores, for as long as it takes to get so much. */
    burns = task_nanos(tid);
    while (task_nanos(tid) < burns + 50000000 && is_patient(&waits))
        burnt++;
    awake = jvmpi->GetCurrentThreadCpuTime() - before;
    awake_at_most = (now_ms() + 1 - began) * 1000000LL;
    verdict(before > 0, "GetCurrentThreadCpuTime", (long)before);
    if (wall)
        verdict(asleep >= 95000000 && asleep <= asleep_at_most, "100 ms asleep, on the wall", (long)asleep);
    else
        verdict(asleep >= 0 && asleep < 20000000, "100 ms asleep, of CPU", (long)asleep);
    verdict(awake >= 45000000 && awake <= awake_at_most, "50 ms awake", (long)awake);
    verdict(jvmpi->GetCurrentThreadCpuTime() >= before + awake, "it grows", 0);
}

/* ---- env values that are used again ---- */

static int left_behind, inherited, ended_set;

static void on_event(JVMPI_Event *event, int type)
{
    if (event->event_type & JVMPI_REQUESTED_EVENT)
        return;
    if (type == JVMPI_EVENT_THREAD_START && strncmp(event->u.thread_start.thread_name, "checker-", 8) == 0)
        started_env = event->u.thread_start.thread_env_id;
    if (type == JVMPI_EVENT_THREAD_START && jvmpi->GetThreadLocalStorage(event->u.thread_start.thread_env_id) != NULL)
        inherited++;
    if (type == JVMPI_EVENT_THREAD_END) {
        /* The last use is in THREAD_END. */
        if (jvmpi->GetThreadLocalStorage(event->env_id) == (void *)event->env_id)
            left_behind++;
        if (ended_set++ % 2 == 0) {
            jvmpi->SetThreadLocalStorage(event->env_id, &left_behind);
        } else {
            /* HPROF takes its leave of a thread so. */
            JVMPI_RawMonitor own = jvmpi->RawMonitorCreate((char *)"_own");

            jvmpi->RawMonitorEnter(own);
            jvmpi->RawMonitorDestroy(own);
            jvmpi->SetThreadLocalStorage(event->env_id, NULL);
            if (own == NULL || jvmpi->GetThreadLocalStorage(event->env_id) != NULL)
                say("FAIL the local storage of a thread that ends");
        }
    }
    if (type == JVMPI_EVENT_JVM_SHUT_DOWN) {
        expect("local storage lasts until THREAD_END", left_behind, 50);
        verdict(ended_set >= 50, "threads ended", ended_set);
        expect("a new thread finds no local storage", inherited, 0);
    }
}

/* ---- */

/* 4 checks: its clock goes on while it is the VM's, and when it is not. */
static void comes_and_goes(void)
{
    jlong last = jvmpi->GetCurrentThreadCpuTime(), now;
    JNIEnv *env;
    int turn;

    for (turn = 0; turn < 2; turn++) {
        if ((*vm)->AttachCurrentThread(vm, (void **)&env, NULL) != JNI_OK)
            say("FAIL AttachCurrentThread");
        burn_ms(5);
        now = jvmpi->GetCurrentThreadCpuTime();
        verdict(now > last, "GetCurrentThreadCpuTime, attached", (long)(now - last));
        last = now;
        if ((*vm)->DetachCurrentThread(vm) != JNI_OK)
            say("FAIL DetachCurrentThread");
        burn_ms(5);
        now = jvmpi->GetCurrentThreadCpuTime();
        verdict(now > last, "GetCurrentThreadCpuTime, detached", (long)(now - last));
        last = now;
    }
}

static void *unattached(void *argument)
{
    jlong before = jvmpi->GetCurrentThreadCpuTime();

    burn_ms(20);
    verdict(jvmpi->GetCurrentThreadCpuTime() > before, "GetCurrentThreadCpuTime on a thread of C's own", (long)before);
    expect("CreateSystemThread on a thread of C's own", jvmpi->CreateSystemThread((char *)"none", 5, entry), JNI_ERR);
    comes_and_goes();
    return argument;
}

static void check(JNIEnv *env, const char *what)
{
    pthread_t thread;

    if (strcmp(what, "fresh") == 0) {
        if (jvmpi->GetThreadLocalStorage(env) != NULL)
            say("FAIL a fresh thread has local storage");
        jvmpi->SetThreadLocalStorage(env, env);
        return;
    }
    if (strcmp(what, "threads") != 0)
        return;
    storage(env);
    status();
    runs();
    lists(env);
    stands_still(env_named("spinning"));
    system_threads();
    cpu_time();
    expect("GetThreadStatus of oneself", jvmpi->GetThreadStatus(env), JVMPI_THREAD_RUNNABLE);
    expect("GetThreadStatus of NULL", jvmpi->GetThreadStatus(NULL), JVMPI_FAIL);
    expect("GetThreadStatus of nonsense", jvmpi->GetThreadStatus((JNIEnv *)&entered), JVMPI_FAIL);
    expect("ThreadHasRun of NULL", jvmpi->ThreadHasRun(NULL), 0);
    jvmpi->SuspendThread(NULL);
    jvmpi->SuspendThread(env);
    jvmpi->SuspendThread((JNIEnv *)&entered);
    jvmpi->ResumeThread(NULL);
    jvmpi->ResumeThread(env);
    jvmpi->ResumeThread((JNIEnv *)&entered);
    say("ok suspending nobody, and oneself");
    pthread_create(&thread, NULL, unattached, NULL);
    pthread_join(thread, NULL);
}

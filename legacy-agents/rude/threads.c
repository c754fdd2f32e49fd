/* System threads: storms of suspensions, odd names, lost resumes.
 *
 * The list of threads is guarded by a mutex of our own. THREAD_END waits for
 * it, so a thread in the list exists; and a storm never suspends a thread of
 * ours, two storms could stop each other for ever. */
#define _GNU_SOURCE /* the initializer of a recursive mutex */
#include "rude.h"

#include <pthread.h>
#include <string.h>

#define MAX_THREADS 4096
#define STORMS 2

/* Recursive, because a host may announce a thread from inside any call. */
static pthread_mutex_t list_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static struct {
    JNIEnv *env;
    int ours;
} list[MAX_THREADS];
static int listed;

static int find(JNIEnv *env)
{
    int i;

    for (i = 0; i < listed; i++)
        if (list[i].env == env)
            return i;
    return -1;
}

void threads_note_start(const JVMPI_Event *event)
{
    const char *name = event->u.thread_start.thread_name;
    JNIEnv *env = event->u.thread_start.thread_env_id;
    int at;

    if (env == NULL) {
        violation("THREAD_START without thread_env_id");
        return;
    }
    pthread_mutex_lock(&list_lock);
    at = find(env);
    if (at < 0 && listed < MAX_THREADS)
        at = listed++;
    if (at >= 0) {
        list[at].env = env;
        list[at].ours = name == NULL || strncmp(name, "rude", 4) == 0;
    }
    pthread_mutex_unlock(&list_lock);
}

void threads_note_end(JNIEnv *env)
{
    int at;
    int full;

    pthread_mutex_lock(&list_lock);
    at = find(env);
    full = listed == MAX_THREADS;
    if (at >= 0)
        list[at] = list[--listed];
    pthread_mutex_unlock(&list_lock);
    if (at < 0 && !full && !on[MODE_LATENOTIFY])
        violation("THREAD_END of %p, which never started", (void *)env);
}

JNIEnv *threads_any(void)
{
    JNIEnv *env = NULL;
    int i;

    pthread_mutex_lock(&list_lock);
    for (i = 0; i < listed && env == NULL; i++)
        if (!list[i].ours)
            env = list[i].env;
    pthread_mutex_unlock(&list_lock);
    return env;
}

int start_thread(const char *name, void (*run)(void *))
{
    char copy[64];
    jint result;

    memset(copy, 0, sizeof copy);
    strncpy(copy, name, sizeof copy - 1);
    result = jvmpi->CreateSystemThread(copy, JVMPI_NORMAL_PRIORITY, run);
    if (result != JNI_OK && current_phase() == RUNNING)
        violation("CreateSystemThread(%s)=%d", name, (int)result);
    return result;
}

/* ---- storm ---- */

static long passes;
static long suspensions;
static int storms_running;

static void look_at(JNIEnv *env)
{
    JVMPI_CallFrame frames[64];
    JVMPI_CallTrace trace = { env, 77, frames };
    jint whole = jvmpi->GetThreadStatus(env);
    jint status = whole & ~(JVMPI_THREAD_SUSPENDED | JVMPI_THREAD_INTERRUPTED);

    /* A thread of the list lives until its THREAD_END or JVM_SHUT_DOWN, of which an agent
     * without NotifyEvent hears nothing. */
    if (whole == JVMPI_FAIL && (on[MODE_NONOTIFY] || current_phase() != RUNNING))
        return;
    if (status < JVMPI_THREAD_RUNNABLE || status > JVMPI_THREAD_CONDVAR_WAIT)
        violation("GetThreadStatus of a live thread is %d", (int)status);
    jvmpi->ThreadHasRun(env);
    jvmpi->GetCallTrace(&trace, 64);
    if (trace.num_frames > 64)
        violation("GetCallTrace: %d frames of 64", (int)trace.num_frames);
}

/* All at once, by the list form. */
static void sweep_together(void)
{
    static __thread JNIEnv *envs[MAX_THREADS];
    static __thread jint results[MAX_THREADS];
    int count = 0;
    int i;

    for (i = 0; i < listed; i++)
        if (!list[i].ours)
            envs[count++] = list[i].env;
    jvmpi->SuspendThreadList(count, envs, results);
    for (i = 0; i < count; i++)
        look_at(envs[i]);
    jvmpi->ResumeThreadList(count, envs, results);
    __atomic_add_fetch(&suspensions, count, __ATOMIC_RELAXED);
}

static void sweep_one_by_one(void)
{
    int i;

    for (i = 0; i < listed; i++) {
        if (list[i].ours)
            continue;
        jvmpi->SuspendThread(list[i].env);
        look_at(list[i].env);
        jvmpi->ResumeThread(list[i].env);
        __atomic_add_fetch(&suspensions, 1, __ATOMIC_RELAXED);
    }
}

static void storm(void *unused)
{
    (void)unused;
    while (current_phase() == RUNNING) {
        jvmpi->DisableGC();
        pthread_mutex_lock(&list_lock);
        if (__atomic_add_fetch(&passes, 1, __ATOMIC_RELAXED) % 2)
            sweep_together();
        else
            sweep_one_by_one();
        pthread_mutex_unlock(&list_lock);
        jvmpi->EnableGC();
        nap_us(500);
    }
    __atomic_sub_fetch(&storms_running, 1, __ATOMIC_RELEASE);
}

void storm_start(void)
{
    int i;

    for (i = 0; i < STORMS; i++) {
        __atomic_add_fetch(&storms_running, 1, __ATOMIC_RELEASE);
        if (start_thread("rude storm", storm) != JNI_OK)
            __atomic_sub_fetch(&storms_running, 1, __ATOMIC_RELEASE);
    }
}

void storm_finish(void)
{
    int i;

    for (i = 0; i < 2000 && __atomic_load_n(&storms_running, __ATOMIC_ACQUIRE) > 0; i++)
        nap_us(1000);
    if (__atomic_load_n(&storms_running, __ATOMIC_ACQUIRE) > 0)
        violation("a storm hangs");
    mode_done(MODE_STORM, "(%ld passes, %ld suspensions)", passes, suspensions);
}

/* ---- many short threads with odd names and priorities ---- */

#define SWARM 60

static int swarm_created;
static int swarm_ran;

static void end_at_once(void *argument)
{
    if (argument != NULL)
        violation("a system thread's function got %p, not NULL", argument);
    __atomic_add_fetch(&swarm_ran, 1, __ATOMIC_RELAXED);
}

void swarm_start(void)
{
    static const jint priorities[] = { -5, 0, 1, 5, 10, 100 };
    static char long_name[3000];
    int i;

    memset(long_name, 'n', sizeof long_name - 1);
    memcpy(long_name, "rude ", 5);
    for (i = 0; i < SWARM; i++) {
        static char plain[] = "rude swarm";
        char *name = i % 3 == 0 ? NULL : i % 3 == 1 ? long_name : plain;

        if (jvmpi->CreateSystemThread(name, priorities[i % 6], end_at_once) == JNI_OK)
            swarm_created++;
    }
}

void swarm_finish(void)
{
    int ran = __atomic_load_n(&swarm_ran, __ATOMIC_RELAXED);

    if (ran > swarm_created)
        violation("%d system threads made, %d ran", swarm_created, ran);
    mode_done(MODE_THREADS, "(%d of %d made, %d ran)", swarm_created, SWARM, ran);
}

/* ---- one suspends and ends, another has to resume ---- */

static JNIEnv *left_suspended;

static void suspend_and_end(void *unused)
{
    JNIEnv *victim = threads_any();

    (void)unused;
    if (victim == NULL)
        return;
    jvmpi->DisableGC();
    jvmpi->SuspendThread(victim);
    __atomic_store_n(&left_suspended, victim, __ATOMIC_RELEASE);
}

static void resume_later(void *unused)
{
    JNIEnv *victim = NULL;
    int i;

    (void)unused;
    for (i = 0; i < 2000 && victim == NULL; i++) {
        nap_us(1000);
        victim = __atomic_load_n(&left_suspended, __ATOMIC_ACQUIRE);
    }
    if (victim == NULL)
        return;
    nap_us(50000);
    jvmpi->ResumeThread(victim);
    jvmpi->EnableGC();
    mode_done(MODE_NORESUME, "(resumed by another thread)");
}

void lost_resume_start(void)
{
    if (start_thread("rude resumer", resume_later) == JNI_OK)
        start_thread("rude suspender", suspend_and_end);
}

/* ---- a thread that suspends itself ---- */

static JNIEnv *sleeper;

static void suspend_self(void *unused)
{
    JNIEnv *env = own_env();

    (void)unused;
    __atomic_store_n(&sleeper, env, __ATOMIC_RELEASE);
    jvmpi->SuspendThread(env);
    mode_done(MODE_SUSPENDSELF, "(went on)");
}

static void wake_sleeper(void *unused)
{
    int i;

    (void)unused;
    for (i = 0; i < 20; i++) {
        JNIEnv *env = __atomic_load_n(&sleeper, __ATOMIC_ACQUIRE);

        nap_us(10000);
        if (env != NULL)
            jvmpi->ResumeThread(env);
    }
}

void suspend_self_start(void)
{
    if (start_thread("rude waker", wake_sleeper) == JNI_OK)
        start_thread("rude sleeper", suspend_self);
}

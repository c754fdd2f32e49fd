/* Suspends the program's threads again and again, looks at them, resumes them.
 * Options (letters): l uses the list forms, h handlers take their time so that
 * threads are suspended inside them, b handlers call back into the interface,
 * g no GetCallTrace. */
#include "check.h"

static const char *options_given = "";
static volatile int stop, stopped, inside;
static long passes, suspended, traces, empty_traces, caught_inside;
static JVMPI_RawMonitor data_lock;

static int has(char letter)
{
    return strchr(options_given, letter) != NULL;
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN, JVMPI_EVENT_THREAD_START,
                                  JVMPI_EVENT_THREAD_END, JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_CLASS_LOAD_HOOK, 0 };

    options_given = strdup(options);
    data_lock = jvmpi->RawMonitorCreate((char *)"data");
    enable_all(events);
    if (!has('h'))
        jvmpi->DisableEvent(JVMPI_EVENT_CLASS_LOAD_HOOK, NULL);
}

/* Threads of the program that live, at most `room`. The table is our own. */
#define ROOM 400
static struct live {
    JNIEnv *env;
} live[4096];
static volatile int live_count;
static pthread_mutex_t live_mutex = PTHREAD_MUTEX_INITIALIZER;

static void add(JNIEnv *env)
{
    pthread_mutex_lock(&live_mutex);
    if (live_count < 4096)
        live[live_count++].env = env;
    pthread_mutex_unlock(&live_mutex);
}

static void drop(JNIEnv *env)
{
    int i;

    pthread_mutex_lock(&live_mutex);
    for (i = 0; i < live_count; i++)
        if (live[i].env == env) {
            live[i] = live[--live_count];
            break;
        }
    pthread_mutex_unlock(&live_mutex);
}

static int snapshot(JNIEnv **out)
{
    int i, count;

    pthread_mutex_lock(&live_mutex);
    count = live_count < ROOM ? live_count : ROOM;
    for (i = 0; i < count; i++)
        out[i] = live[i].env;
    pthread_mutex_unlock(&live_mutex);
    return count;
}

static void look(JNIEnv *env)
{
    JVMPI_CallFrame frames[50];
    JVMPI_CallTrace trace = { env, -1, frames };

    jvmpi->GetThreadStatus(env);
    jvmpi->ThreadHasRun(env);
    jvmpi->GetThreadLocalStorage(env);
    if (has('g'))
        return;
    jvmpi->GetCallTrace(&trace, 50);
    if (trace.num_frames < 0 || trace.num_frames > 50)
        say("FAIL %d frames", (int)trace.num_frames);
    traces++;
    empty_traces += trace.num_frames == 0;
}

static void suspender(void *argument)
{
    JNIEnv *list[ROOM];
    jint results[ROOM];
    int i, count, enough = 0;

    while (!stop) {
        count = snapshot(list);
        jvmpi->DisableGC();
        if (has('l'))
            jvmpi->SuspendThreadList(count, list, results);
        else
            for (i = 0; i < count; i++)
                jvmpi->SuspendThread(list[i]);
        suspended += count;
        caught_inside += inside > 0;
        for (i = 0; i < count; i++)
            look(list[i]);
        if (has('h'))
            sleep_ms(2);
        if (has('l'))
            jvmpi->ResumeThreadList(count, list, results);
        else
            for (i = 0; i < count; i++)
                jvmpi->ResumeThread(list[i]);
        jvmpi->EnableGC();
        passes++;
        /* The program goes on until it is there. */
        if (!enough && passes > 5 && suspended > 10 && (caught_inside > 0 || !has('h'))) {
            close(open("enough", O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
            enough = 1;
        }
        /* Time for the program to get somewhere. */
        sleep_ms(has('h') ? 10 : 1);
    }
    stopped = 1;
}

static void on_event(JVMPI_Event *event, int type)
{
    if (event->event_type & JVMPI_REQUESTED_EVENT)
        return;
    switch (type) {
    case JVMPI_EVENT_CLASS_LOAD_HOOK:
        event->u.class_load_hook.new_class_data = event->u.class_load_hook.class_data;
        event->u.class_load_hook.new_class_data_len = event->u.class_load_hook.class_data_len;
        break;
    case JVMPI_EVENT_JVM_INIT_DONE:
        jvmpi->CreateSystemThread((char *)"suspender", JVMPI_MAXIMUM_PRIORITY, suspender);
        return;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        stop = 1;
        /* Where much else runs it takes a while to stop hundreds of threads. */
        for (type = 0; type < 10000 && !stopped; type++)
            sleep_ms(5);
        say("passes=%ld suspended=%ld traces=%ld empty=%ld inside=%ld stopped=%d", passes, suspended, traces,
            empty_traces, caught_inside, stopped);
        return;
    case JVMPI_EVENT_THREAD_START:
        /* Ours, and the VM's, are left alone. */
        if (strncmp(event->u.thread_start.thread_name, "churn", 5) == 0)
            add(event->u.thread_start.thread_env_id);
        break;
    default:
        break;
    }
    if (has('h')) {
        __sync_fetch_and_add(&inside, 1);
        sleep_ms(1);
        if (has('b')) {
            JVMPI_CallFrame frames[20];
            JVMPI_CallTrace trace = { event->env_id, -1, frames };
            jobjectID thread;

            jvmpi->GetCallTrace(&trace, 20);
            thread = jvmpi->GetThreadObject(event->env_id);
            if (thread != NULL)
                jvmpi->RequestEvent(JVMPI_EVENT_THREAD_START, thread);
            if (type == JVMPI_EVENT_CLASS_LOAD)
                jvmpi->RequestEvent(type, event->u.class_load.class_id);
        }
        __sync_fetch_and_sub(&inside, 1);
    }
    if (type == JVMPI_EVENT_THREAD_END)
        drop(event->env_id);
}

static void check(JNIEnv *env, const char *what)
{
}

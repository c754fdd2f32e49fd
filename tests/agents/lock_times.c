/* A profile of the time that is lost per lock, from MONITOR_CONTENDED_ENTER and ENTERED. */
#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
    jobjectID object;
    long long nanos;
    long times;
} locks[1000];
static int lock_count;
static __thread long long since;

static long long now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_THREAD_START, JVMPI_EVENT_CLASS_LOAD,
                                  JVMPI_EVENT_MONITOR_CONTENDED_ENTER, JVMPI_EVENT_MONITOR_CONTENDED_ENTERED, 0 };

    enable_all(events);
}

static void lost(jobjectID object, long long nanos)
{
    int i;

    pthread_mutex_lock(&mutex);
    for (i = 0; i < lock_count && locks[i].object != object; i++) {
    }
    if (i == lock_count && lock_count < 1000)
        locks[lock_count++].object = object;
    if (i < lock_count) {
        locks[i].nanos += nanos;
        locks[i].times++;
    }
    pthread_mutex_unlock(&mutex);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_MONITOR_CONTENDED_ENTER)
        since = now();
    else if (type == JVMPI_EVENT_MONITOR_CONTENDED_ENTERED)
        lost(event->u.monitor.object, now() - since);
}

static void check(JNIEnv *env, const char *what)
{
    int i;

    if (strcmp(what, "times") != 0)
        return;
    for (i = 0; i < lock_count; i++)
        say("LOCK %s nanos=%lld times=%ld", class_of(locks[i].object), locks[i].nanos, locks[i].times);
}

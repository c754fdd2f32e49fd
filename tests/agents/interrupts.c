/* A thread of the agent's own sends signals to one that events come on, whatever that does just then. Their handler calls
 * JVMPI and JNI: what the thread itself calls is answered all the same. */
#include "check.h"

#include <errno.h>
#include <signal.h>

static JNIEnv *target_env;
static pthread_t target, sender;
static volatile int stop;
static volatile long handled, answered, entries, missed;

static void on_signal(int number)
{
    int before = errno;

    handled++;
    if (jvmpi->GetCurrentThreadCpuTime() > 0)
        answered++;
    (*target_env)->GetVersion(target_env);
    errno = before;
}

static void *send_signals(void *argument)
{
    while (!stop) {
        pthread_kill(target, SIGPROF);
        usleep(100);
    }
    return NULL;
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN, 0 };

    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
    struct sigaction action;
    long began = 0;

    if (type == JVMPI_EVENT_JVM_INIT_DONE) {
        memset(&action, 0, sizeof action);
        action.sa_handler = on_signal;
        action.sa_flags = SA_RESTART;
        sigaction(SIGPROF, &action, NULL);
        target_env = event->env_id;
        target = pthread_self();
        pthread_create(&sender, NULL, send_signals, NULL);
        /* In a handler of the agent's nobody is in the middle of a word. */
        while (answered == 0 && is_patient(&began)) {
        }
        verdict(answered > 0, "a call of a signal's handler in one of an event", handled);
        jvmpi->EnableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL);
    }
    if (type == JVMPI_EVENT_METHOD_ENTRY && pthread_equal(pthread_self(), target)) {
        entries++;
        missed += jvmpi->GetCurrentThreadCpuTime() <= 0;
    }
    if (type == JVMPI_EVENT_JVM_SHUT_DOWN) {
        stop = 1;
        pthread_join(sender, NULL);
        verdict(handled > 100, "signals", handled);
        verdict(entries > 1000, "METHOD_ENTRY", entries);
        expect("calls without an answer", missed, 0);
    }
}

static void check(JNIEnv *env, const char *what)
{
}

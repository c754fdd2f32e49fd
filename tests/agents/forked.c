/* A child that the agent forks has no VM, only its memory: JVMPI's functions return there. Enabled are events that
 * the VM has to be told of. */
#include "check.h"
#include <signal.h>
#include <sys/wait.h>

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_OBJECT_ALLOC, JVMPI_EVENT_OBJECT_FREE, JVMPI_EVENT_CLASS_LOAD, 0 };

    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
}

/* The exit code: which answers are not as they should be. */
static int in_child(JNIEnv *env)
{
    JVMPI_CallFrame frames[4];
    JVMPI_CallTrace trace = { env, -1, frames };
    JVMPI_RawMonitor lock = jvmpi->RawMonitorCreate((char *)"of a child");
    int event, wrong = 0;

    jvmpi->RawMonitorEnter(lock);
    for (event = 1; event <= JVMPI_MAX_EVENT_TYPE_VAL; event++)
        jvmpi->DisableEvent(event, NULL);
    if (jvmpi->EnableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL) != JVMPI_SUCCESS)
        wrong |= 1;
    if (jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, NULL) != JVMPI_FAIL)
        wrong |= 2;
    jvmpi->RunGC();
    jvmpi->GetCallTrace(&trace, 4);
    if (trace.num_frames != 0)
        wrong |= 4;
    jvmpi->DisableGC();
    jvmpi->EnableGC();
    jvmpi->RawMonitorExit(lock);
    return wrong;
}

static void check(JNIEnv *env, const char *what)
{
    long until = now_ms() + 30000;
    int status = -1;
    pid_t child = fork(), ended;

    if (child == 0)
        _exit(in_child(env));
    while ((ended = waitpid(child, &status, WNOHANG)) == 0 && now_ms() < until)
        sleep_ms(10);
    expect("the child ends", ended, child);
    expect("and has its answers", status, 0);
    if (ended == 0) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
    }
    expect("here there is a VM", jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, NULL), JVMPI_SUCCESS);
}

/* A child that the agent forks has no VM, only its memory: JVMPI's functions return there. Enabled are events that
 * the VM has to be told of. With the options "ends" children end by exit() and by ProfilerExit. */
#include "check.h"
#include <signal.h>
#include <sys/wait.h>

static int ends;
/* Made before the fork. */
static JNIEnv *other;
static jclass class;
static jobjectID id;
static jmethodID method;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_OBJECT_ALLOC, JVMPI_EVENT_OBJECT_FREE, JVMPI_EVENT_CLASS_LOAD,
                                  JVMPI_EVENT_THREAD_START, 0 };

    ends = strcmp(options, "ends") == 0;
    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
}

static void never(void *unused)
{
}

/* The exit code: which answers are not as they should be. */
static int in_child(JNIEnv *env)
{
    JVMPI_CallFrame frames[4];
    JVMPI_CallTrace trace = { env, -1, frames };
    JVMPI_RawMonitor lock = jvmpi->RawMonitorCreate((char *)"of a child");
    int event, wrong = 0;
    jint result = 0;

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
    jvmpi->SuspendThread(other);
    jvmpi->ResumeThread(other);
    jvmpi->SuspendThreadList(1, &other, &result);
    if (result != JVMPI_FAIL)
        wrong |= 8;
    result = 0;
    jvmpi->ResumeThreadList(1, &other, &result);
    if (result != JVMPI_FAIL)
        wrong |= 16;
    if (jvmpi->CreateSystemThread((char *)"of a child", JVMPI_NORMAL_PRIORITY, never) != JNI_ERR)
        wrong |= 32;
    if (jvmpi->GetThreadObject(other) != NULL || jvmpi->GetMethodClass(method) != NULL
        || jvmpi->jobject2jobjectID(class) != NULL || jvmpi->jobjectID2jobject(id) != NULL)
        wrong |= 64;
    jvmpi->RawMonitorExit(lock);
    return wrong;
}

static void wait_for(pid_t child)
{
    long until = now_ms() + 30000;
    int status = -1;
    pid_t ended;

    while ((ended = waitpid(child, &status, WNOHANG)) == 0 && now_ms() < until)
        sleep_ms(10);
    expect("the child ends", ended, child);
    expect("and has its answers", status, 0);
    if (ended == 0) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
    }
}

static void check(JNIEnv *env, const char *what)
{
    pid_t child;

    other = env_named("Reference Handler");
    class = (*env)->FindClass(env, "java/lang/Object");
    method = (*env)->GetMethodID(env, class, "hashCode", "()I");
    id = jvmpi->jobject2jobjectID(class);
    verdict(other != NULL && method != NULL && id != NULL, "there is what a child asks for", 0);
    if ((child = fork()) == 0) {
        if (ends)
            exit(0);
        _exit(in_child(env));
    }
    wait_for(child);
    if (ends) {
        if ((child = fork()) == 0)
            jvmpi->ProfilerExit(0);
        wait_for(child);
        expect("children write no file of ours", access("usage.txt", F_OK), -1);
    }
    expect("here there is a VM", jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, NULL), JVMPI_SUCCESS);
}

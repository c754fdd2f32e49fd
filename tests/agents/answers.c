/* Reports what it is answered when the VM is ready and when it ends. With "more" it asks once more than
 * otherwise; with "stuck" one of its handlers never returns; with "leaves" it ends everything when the VM is ready. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <jvmpi.h>

static JVMPI_Interface *jvmpi;
static int more, stuck, leaves;
static pthread_mutex_t never = PTHREAD_MUTEX_INITIALIZER;
static JNIEnv *other;
static FILE *report;

static void suspend(void)
{
    JNIEnv *envs[2] = { other, NULL };
    jint suspended[2] = { 7, 7 }, resumed[2] = { 7, 7 };

    jvmpi->SuspendThreadList(2, envs, suspended);
    fprintf(report, "has run %d\n", jvmpi->ThreadHasRun(other));
    jvmpi->ResumeThreadList(2, envs, resumed);
    fprintf(report, "suspended %d %d, resumed %d %d\n", (int)suspended[0], (int)suspended[1], (int)resumed[0],
            (int)resumed[1]);
}

static void keep(JNIEnv *own)
{
    static char of_own[] = "own", of_other[] = "other";
    const char *first, *second;

    jvmpi->SetThreadLocalStorage(own, of_own);
    jvmpi->SetThreadLocalStorage(other, of_other);
    first = jvmpi->GetThreadLocalStorage(own);
    second = jvmpi->GetThreadLocalStorage(other);
    fprintf(report, "kept %s %s\n", first, second);
}

/* What was never asked, or not here. */
static void ask_more(void)
{
    JVMPI_RawMonitor first = jvmpi->RawMonitorCreate("first"), second = jvmpi->RawMonitorCreate("second");

    fprintf(report, "time %lld\n", (long long)jvmpi->GetCurrentThreadCpuTime());
    fprintf(report, "monitors %d\n", first != NULL && second != NULL && first != second);
    fprintf(report, "enabled %d %d\n", (int)jvmpi->EnableEvent(JVMPI_EVENT_GC_START, NULL),
            (int)jvmpi->EnableEvent(1000, NULL));
}

static void notify(JVMPI_Event *event)
{
    switch (event->event_type) {
    case JVMPI_EVENT_THREAD_START:
        if (strcmp(event->u.thread_start.thread_name, "Finalizer") == 0)
            other = event->u.thread_start.thread_env_id;
        if (stuck && strcmp(event->u.thread_start.thread_name, "worker-1") == 0) {
            pthread_mutex_lock(&never);
            pthread_mutex_lock(&never);
        }
        break;
    case JVMPI_EVENT_JVM_INIT_DONE:
        if (leaves)
            jvmpi->ProfilerExit(3);
        suspend();
        keep(event->env_id);
        fprintf(report, "time %lld\n", (long long)jvmpi->GetCurrentThreadCpuTime());
        if (more)
            ask_more();
        fflush(report);
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        fprintf(report, "end %lld\n", (long long)jvmpi->GetCurrentThreadCpuTime());
        fclose(report);
        break;
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    more = strcmp(options, "more") == 0;
    stuck = strcmp(options, "stuck") == 0;
    leaves = strcmp(options, "leaves") == 0;
    report = fopen("report.txt", "w");
    jvmpi->NotifyEvent = notify;
    jvmpi->EnableEvent(JVMPI_EVENT_THREAD_START, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_THREAD_END, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_INIT_DONE, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_SHUT_DOWN, NULL);
    return report != NULL ? JNI_OK : JNI_ERR;
}

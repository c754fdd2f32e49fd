/* Writes what depends on the host, to report.txt. */
#include <jni.h>
#include <jvmpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static JVMPI_Interface *jvmpi;
static FILE *report;
static char class_name[20] = "?";
static const char *array_class = "?";
static JNIEnv *sleeper;

static void notify(JVMPI_Event *event)
{
    const char *name = event->u.class_load.class_name;

    if (event->event_type == JVMPI_EVENT_CLASS_LOAD && strlen(name) == 16 && memcmp(name + 10, "String", 6) == 0)
        strcpy(class_name, name);
    if (event->event_type == JVMPI_EVENT_OBJECT_ALLOC && event->u.obj_alloc.is_array == JVMPI_CLASS)
        array_class = event->u.obj_alloc.class_id == NULL ? "none" : "some";
    if (event->event_type == JVMPI_EVENT_THREAD_START && strcmp(event->u.thread_start.thread_name, "sleeper") == 0)
        sleeper = event->u.thread_start.thread_env_id;
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    void *got;
    int i;

    report = fopen("report.txt", "w");
    if (report == NULL || (*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) != JNI_OK)
        return JNI_ERR;
    fprintf(report, "versions");
    for (i = 0; i < 3; i++)
        fprintf(report, " %d", (int)(*vm)->GetEnv(vm, &got, JVMPI_VERSION_1 + i));
    fprintf(report, ", field %x\n", (unsigned)jvmpi->version);
    jvmpi->NotifyEvent = notify;
    jvmpi->EnableEvent(JVMPI_EVENT_CLASS_LOAD, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_THREAD_START, NULL);
    return JNI_OK;
}

JNIEXPORT void JNICALL Java_Native_check(JNIEnv *env, jclass class, jstring what)
{
    jlong before = jvmpi->GetCurrentThreadCpuTime();
    jint status;

    usleep(300000);
    fprintf(report, "class %s, array of %s, clock %s\n", class_name, array_class,
            jvmpi->GetCurrentThreadCpuTime() - before >= 290000000 ? "wall" : "cpu");
    jvmpi->DisableGC();
    fprintf(report, "request of NULL %d\n", (int)jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL));
    jvmpi->SuspendThread(sleeper);
    status = jvmpi->GetThreadStatus(sleeper);
    jvmpi->ResumeThread(sleeper);
    jvmpi->EnableGC();
    fprintf(report, "suspended %d\n", (status & JVMPI_THREAD_SUSPENDED) != 0);
    fflush(report);
}

/* An agent as compilers and linkers of 1999 to 2003 left them, for 32-bit x86 only; `period.rs` says with which
 * words it is built. All that an agent may call it calls with the stack at each of four places. */
#include "period.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The stdio of glibc 2.0, with another FILE; what crtbegin.o of then called with its own table. */
__asm__(".symver fopen, fopen@GLIBC_2.0");
__asm__(".symver fclose, fclose@GLIBC_2.0");
__asm__(".symver memcpy, memcpy@GLIBC_2.0");
__asm__(".symver __register_frame_info, __register_frame_info@GLIBC_2.0");
__asm__(".symver __deregister_frame_info, __deregister_frame_info@GLIBC_2.0");
extern void __register_frame_info(const void *, void *);
extern void *__deregister_frame_info(const void *);

/* libjvm's own printf. */
extern int jio_snprintf(char *, size_t, const char *, ...);

static JavaVM *vm;
static JVMPI_Interface *jvmpi;
static FILE *report;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int initialised, ended_threads, shift_of_thread, hooked, requested, methods;
static JNIEnv *other;
/* A table without an entry, of which nothing is kept. */
static int no_frames[2];
static int frame_object[8];
/* Addresses in data, as everything had that was built without -fPIC. */
static const char *const names[] = { "java/lang/Math", "java/lang/String" };

/* In place of constructors: DT_INIT, DT_FINI. */
void old_init(void)
{
    initialised = 1;
    __register_frame_info(no_frames, frame_object);
}

void old_fini(void)
{
    if (report == NULL)
        return;
    fprintf(report, "%s fini\n", __deregister_frame_info(no_frames) == NULL ? "ok" : "FAIL");
    fclose(report);
}

static void verdict(int good, const char *what, int shift)
{
    fprintf(report, "%s %s %d\n", good ? "ok" : "FAIL", what, shift);
    fflush(report);
}

static void thread_ends(void)
{
    pthread_mutex_lock(&mutex);
    ended_threads++;
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&mutex);
}

/* The n-th of those of the agent's own threads that end. */
static void wait_for_thread(int n)
{
    pthread_mutex_lock(&mutex);
    while (ended_threads < n)
        pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void system_thread(void *argument)
{
    int shift = shift_of_thread;

    verdict(argument == NULL && LONG_CALL(jvmpi->GetCurrentThreadCpuTime, NULL) >= 0, "system thread", shift);
    thread_ends();
}

static void *own_thread(void *argument)
{
    JNIEnv *env = NULL;
    int shift = shift_of_thread, good;

    good = CALL((*vm)->AttachCurrentThread, vm, &env, NULL) == JNI_OK && env != NULL &&
        JNI(GetVersion, NULL) >= JNI_VERSION_1_2;
    verdict(good && CALL((*vm)->DetachCurrentThread, vm) == JNI_OK, "thread of its own", shift);
    thread_ends();
    return argument;
}

/* Functions of JVMPI, all but ProfilerExit. */
static void tables(JNIEnv *env, int shift, int round)
{
    JVMPI_CallFrame frames[8];
    JVMPI_CallTrace trace;
    JNIEnv *list[1];
    jint results[1] = { 7 };
    void *monitor, *object, *reference, *asked;
    JVMPI_Interface *table = NULL;

    verdict(CALL((*vm)->GetEnv, vm, &table, WORD(JVMPI_VERSION_1_1)) == JNI_OK && table != NULL, "GetEnv", shift);
    verdict(CALL(jvmpi->EnableEvent, WORD(JVMPI_EVENT_METHOD_ENTRY), NULL) == JVMPI_SUCCESS, "EnableEvent", shift);
    verdict(CALL(jvmpi->DisableEvent, WORD(JVMPI_EVENT_GC_START), NULL) == JVMPI_SUCCESS, "DisableEvent", shift);
    memset(&trace, 0, sizeof trace);
    trace.env_id = env;
    trace.frames = frames;
    CALL(jvmpi->GetCallTrace, &trace, WORD(8));
    verdict(trace.num_frames >= 0 && trace.num_frames <= 8, "GetCallTrace", shift);

    monitor = (void *)CALL(jvmpi->RawMonitorCreate, "period");
    CALL(jvmpi->RawMonitorEnter, monitor);
    /* The time is a jlong: two words. */
    CALL(jvmpi->RawMonitorWait, monitor, WORD(1), NULL);
    CALL(jvmpi->RawMonitorNotifyAll, monitor);
    CALL(jvmpi->RawMonitorExit, monitor);
    CALL(jvmpi->RawMonitorDestroy, monitor);
    verdict(monitor != NULL, "raw monitor", shift);
    verdict(LONG_CALL(jvmpi->GetCurrentThreadCpuTime, NULL) > 0, "GetCurrentThreadCpuTime", shift);

    CALL(jvmpi->SetThreadLocalStorage, env, WORD(round + 5));
    verdict(CALL(jvmpi->GetThreadLocalStorage, env) == round + 5, "storage", shift);

    CALL(jvmpi->SuspendThread, other);
    trace.env_id = other;
    CALL(jvmpi->GetCallTrace, &trace, WORD(8));
    verdict(trace.num_frames >= 0 && trace.num_frames <= 8, "another's trace", shift);
    verdict((CALL(jvmpi->GetThreadStatus, other) & JVMPI_THREAD_SUSPENDED) != 0, "GetThreadStatus", shift);
    CALL(jvmpi->ThreadHasRun, other);
    CALL(jvmpi->ResumeThread, other);
    list[0] = other;
    CALL(jvmpi->SuspendThreadList, WORD(1), list, results);
    verdict(results[0] == 0, "SuspendThreadList", shift);
    results[0] = 7;
    CALL(jvmpi->ResumeThreadList, WORD(1), list, results);
    verdict(results[0] == 0, "ResumeThreadList", shift);

    CALL(jvmpi->DisableGC, NULL);
    object = (void *)CALL(jvmpi->GetThreadObject, env);
    reference = (void *)CALL(jvmpi->jobjectID2jobject, object);
    asked = (void *)CALL(jvmpi->jobject2jobjectID, reference);
    CALL(jvmpi->EnableGC, NULL);
    verdict(object != NULL && reference != NULL && object == asked, "ids", shift);
    /* The event comes before the answer, and calls us with whatever stack it likes. */
    requested = 0;
    verdict(CALL(jvmpi->RequestEvent, WORD(JVMPI_EVENT_OBJECT_ALLOC), object) == JVMPI_SUCCESS && requested,
        "RequestEvent", shift);
    CALL(jvmpi->RunGC, NULL);

    shift_of_thread = shift;
    verdict(CALL(jvmpi->CreateSystemThread, "period", WORD(JVMPI_NORMAL_PRIORITY), system_thread) == JNI_OK,
        "CreateSystemThread", shift);
    wait_for_thread(2 * round + 1);
}

static void java(JNIEnv *env, int shift, int round)
{
    union {
        double number;
        void *words[2];
    } three;
    void *class, *method, *string, *array;
    const char *text;
    jvalue values[2];
    jint ints[3] = { 1, 2, 3 }, read[3] = { 0, 0, 0 };
    pthread_t thread;

    class = (void *)JNI(FindClass, names[0]);
    method = (void *)JNI(GetStaticMethodID, class, "pow", "(DD)D");
    verdict(class != NULL && method != NULL && (void *)CALL(jvmpi->GetMethodClass, method) != NULL,
        "GetMethodClass", shift);
    three.number = 3;
    /* The result is on the floating-point stack, where the compiler has to know of it. */
    values[0].d = 2;
    values[1].d = 0.5;
    verdict((*env)->CallStaticDoubleMethodA(env, class, method, values) > 1.41, "doubles in an array", shift);
    method = (void *)JNI(GetStaticMethodID, class, "round", "(D)J");
    verdict(LONG_CALL((*env)->CallStaticLongMethod, env, class, method, three.words[0], three.words[1]) == 3, "a double behind", shift);
    method = (void *)JNI(GetStaticMethodID, class, "max", "(JJ)J");
    verdict(LONG_CALL((*env)->CallStaticLongMethod, env, class, method, WORD(7), WORD(9), WORD(8), NULL) ==
        7 + 9 * (1LL << 32), "longs behind", shift);
    string = (void *)JNI(NewStringUTF, "period");
    text = (const char *)JNI(GetStringUTFChars, string, NULL);
    verdict(text != NULL && strcmp(text, "period") == 0 && JNI(GetStringUTFLength, string) == 6, "a string", shift);
    JNI(ReleaseStringUTFChars, string, text);
    array = (void *)JNI(NewIntArray, WORD(3));
    JNI(SetIntArrayRegion, array, NULL, WORD(3), ints);
    JNI(GetIntArrayRegion, array, NULL, WORD(3), read);
    verdict(read[0] == 1 && read[2] == 3, "an array", shift);
    JNI(FindClass, "no/such/Class");
    verdict((char)JNI(ExceptionCheck, NULL) == JNI_TRUE, "an exception", shift);
    JNI(ExceptionClear, NULL);
    class = (void *)JNI(FindClass, names[1]);
    verdict((char)JNI(IsInstanceOf, string, class) == JNI_TRUE, "its class", shift);
    verdict(pthread_create(&thread, NULL, own_thread, NULL) == 0, "a thread", shift);
    wait_for_thread(2 * round + 2);
    pthread_join(thread, NULL);
}

/* The class as it is, in memory of the VM's own. */
static void hook(JVMPI_Event *event)
{
    int length = event->u.class_load_hook.class_data_len, shift = 4 * (hooked++ % 4);
    void *room = (void *)CALL(event->u.class_load_hook.malloc_f, WORD(length));

    memcpy(room, event->u.class_load_hook.class_data, length);
    event->u.class_load_hook.new_class_data = room;
    event->u.class_load_hook.new_class_data_len = length;
}

static void notify(JVMPI_Event *event)
{
    int round;

    switch (event->event_type) {
    case JVMPI_EVENT_CLASS_LOAD_HOOK:
        hook(event);
        break;
    case JVMPI_EVENT_THREAD_START:
    case JVMPI_EVENT_THREAD_START | JVMPI_REQUESTED_EVENT:
        if (strcmp(event->u.thread_start.thread_name, "Finalizer") == 0)
            other = event->u.thread_start.thread_env_id;
        break;
    case JVMPI_EVENT_OBJECT_ALLOC | JVMPI_REQUESTED_EVENT:
        requested = event->u.obj_alloc.obj_id != NULL;
        break;
    case JVMPI_EVENT_METHOD_ENTRY:
        methods++;
        break;
    case JVMPI_EVENT_JVM_INIT_DONE:
        verdict(initialised, "init", 0);
        verdict(dlopen("libc.so.6", RTLD_LAZY) != NULL, "dlopen", 0);
        verdict(other != NULL, "another thread", 0);
        for (round = 0; round < 4 && other != NULL; round++) {
            tables(event->env_id, 4 * round, round);
            java(event->env_id, 4 * round, round);
        }
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        verdict(hooked > 2 && methods > 10, "events", 0);
        break;
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *java_vm, char *options, void *reserved)
{
    static const int events[] = { JVMPI_EVENT_THREAD_START, JVMPI_EVENT_CLASS_LOAD_HOOK, JVMPI_EVENT_JVM_INIT_DONE,
                                  JVMPI_EVENT_JVM_SHUT_DOWN };
    int i, shift = 0;
    char text[16];
    JavaVM *created;
    jsize count = 0;

    vm = java_vm;
    report = fopen("report.txt", "w");
    if (report == NULL || (*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    verdict(strcmp(options, "a=b,c") == 0, "options", 0);
    jio_snprintf(text, sizeof text, "%s %d", "jio", 7);
    verdict(strcmp(text, "jio 7") == 0, "jio_snprintf", 0);
    verdict(jio_snprintf(text, 4, "%s", "too long") == -1, "jio_snprintf of what does not fit", 0);
    verdict(JNI_GetCreatedJavaVMs(&created, 1, &count) == JNI_OK, "JNI_GetCreatedJavaVMs", 0);
    jvmpi->NotifyEvent = notify;
    for (i = 0; i < 4; i++, shift += 4)
        verdict(CALL(jvmpi->EnableEvent, WORD(events[i]), NULL) == JVMPI_SUCCESS, "EnableEvent at load", shift);
    return JNI_OK;
}

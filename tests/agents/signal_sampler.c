/* An agent that speaks JVMTI in the way of samplers: SIGPROF, AsyncGetCallTrace in its handler, a thread of
 * its own that attaches itself and names what the handler has seen, with an environment of its own, and a
 * thread that the VM runs for it. It makes a file "stop" when it has seen enough; what it finds goes to
 * samples.txt. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <jvmti.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { DEPTH = 16, SAMPLES = 4096 };

typedef struct {
    jint line;
    jmethodID method;
} Frame;

typedef struct {
    JNIEnv *env;
    jint number;
    Frame *frames;
} Trace;

static JavaVM *java_vm;
static jvmtiEnv *jvmti;
static jrawMonitorID lock;
static void (*take_trace)(Trace *trace, jint depth, void *context);
static Frame frames[SAMPLES][DEPTH];
static jint numbers[SAMPLES];
static int taken, seen, named, hot, foreign, stop, vms_thread_ran;
static pthread_t namer;

enum { ENOUGH = 20 };

static void on_signal(int number, siginfo_t *info, void *context)
{
    int before = errno, mine;
    Trace trace = { NULL, 0, NULL };

    /* As samplers do: who is interrupted? */
    if ((*java_vm)->GetEnv(java_vm, (void **)&trace.env, JNI_VERSION_1_6) != JNI_OK) {
        __atomic_fetch_add(&foreign, 1, __ATOMIC_RELAXED);
    } else if ((mine = __atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED)) < SAMPLES) {
        trace.frames = frames[mine];
        take_trace(&trace, DEPTH, context);
        __atomic_store_n(&numbers[mine], trace.number == 0 ? -100 : trace.number, __ATOMIC_RELEASE);
    }
    errno = before;
}

static void name_method(jvmtiEnv *env, jmethodID method)
{
    char *name = NULL;

    if ((*env)->GetMethodName(env, method, &name, NULL, NULL) == 0) {
        named++;
        hot += strcmp(name, "hot") == 0;
        (*env)->Deallocate(env, (unsigned char *)name);
    }
}

/* Its own environment, on its own thread. */
static void *name_samples(void *argument)
{
    jvmtiEnv *env = NULL;
    JNIEnv *jni = NULL;
    jint number;

    (*java_vm)->AttachCurrentThreadAsDaemon(java_vm, (void **)&jni, NULL);
    (*java_vm)->GetEnv(java_vm, (void **)&env, JVMTI_VERSION_1_2);
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        for (; seen < SAMPLES && (number = __atomic_load_n(&numbers[seen], __ATOMIC_ACQUIRE)) != 0; seen++)
            if (number > 0)
                name_method(env, frames[seen][0].method);
        if (hot >= ENOUGH)
            close(open("stop", O_CREAT | O_WRONLY, 0666));
        usleep(2000);
    }
    (*env)->DisposeEnvironment(env);
    (*java_vm)->DetachCurrentThread(java_vm);
    return NULL;
}

static void JNICALL on_vms_thread(jvmtiEnv *env, JNIEnv *jni, void *argument)
{
    (*env)->RawMonitorEnter(env, lock);
    vms_thread_ran = argument == &lock;
    (*env)->RawMonitorNotifyAll(env, lock);
    (*env)->RawMonitorExit(env, lock);
}

/* AsyncGetCallTrace wants the ids of methods to be there. */
static void JNICALL class_prepare(jvmtiEnv *env, JNIEnv *jni, jthread thread, jclass class)
{
    jmethodID *methods = NULL;
    jint number = 0;

    if ((*env)->GetClassMethods(env, class, &number, &methods) == 0)
        (*env)->Deallocate(env, (unsigned char *)methods);
}

static void JNICALL class_load(jvmtiEnv *env, JNIEnv *jni, jthread thread, jclass class)
{
}

static void set_timer(int microseconds)
{
    struct itimerval timer = { { 0, microseconds }, { 0, microseconds } };

    setitimer(ITIMER_PROF, &timer, NULL);
}

static void JNICALL vm_init(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    struct sigaction action;
    jclass class = (*jni)->FindClass(jni, "java/lang/Thread");
    jobject runs = (*jni)->NewObject(jni, class, (*jni)->GetMethodID(jni, class, "<init>", "()V"));

    (*env)->RawMonitorEnter(env, lock);
    (*env)->RunAgentThread(env, runs, on_vms_thread, &lock, JVMTI_THREAD_MAX_PRIORITY);
    while (!vms_thread_ran)
        (*env)->RawMonitorWait(env, lock, 0);
    (*env)->RawMonitorExit(env, lock);
    pthread_create(&namer, NULL, name_samples, NULL);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(SIGPROF, &action, NULL);
    set_timer(1000);
}

static void JNICALL vm_death(jvmtiEnv *env, JNIEnv *jni)
{
    FILE *report = fopen("samples.txt", "w");

    set_timer(0);
    signal(SIGPROF, SIG_IGN);
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    pthread_join(namer, NULL);
    fprintf(report, "%d samples, %d of other threads\n", taken, foreign);
    fprintf(report, "%s %d named, %d of them hot\n", hot >= ENOUGH ? "ok" : "FAIL", named, hot);
    fprintf(report, "ended\n");
    fclose(report);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    static const jvmtiEvent events[] = { JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_DEATH, JVMTI_EVENT_CLASS_LOAD,
                                         JVMTI_EVENT_CLASS_PREPARE };
    jvmtiEventCallbacks callbacks = {
        .VMInit = vm_init, .VMDeath = vm_death, .ClassLoad = class_load, .ClassPrepare = class_prepare,
    };
    unsigned i;

    java_vm = vm;
    take_trace = (void (*)(Trace *, jint, void *))dlsym(RTLD_DEFAULT, "AsyncGetCallTrace");
    if (take_trace == NULL || (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    (*jvmti)->CreateRawMonitor(jvmti, "the VM's thread", &lock);
    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks);
    for (i = 0; i < sizeof events / sizeof *events; i++)
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, events[i], NULL);
    return JNI_OK;
}

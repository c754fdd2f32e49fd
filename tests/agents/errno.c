/* The natives of Errno.java: they set errno, do something that passes through the shim, and
 * look at errno. As an agent (-Xrunerrno) it counts events, so that each look is known to be
 * one behind an event. With the option `spoils` each handler changes errno, those of methods
 * only with `methods`; with `plain` METHOD_ENTRY2 and INSTRUCTION_START stay off. */
#include "check.h"

#include <errno.h>
#include <jvmti.h>
#include <xrun_ext.h>

/* No error has this number. */
#define MARK 4242
/* The VM may change errno itself, when it stops for a collection say: not each time. */
#define TRIES 20

/* No event has this number: it is that a thread was parked. */
#define PARKED 199

static int spoils, spoils_methods;
static long events[200];
/* The JNIEnv of this thread, as the last MONITOR_WAITED had it. */
static __thread JNIEnv *told_env;
/* That of the virtual thread, and its carrier's. */
static JNIEnv *virtual_env, *carriers_env;

static void JNICALL parked(JNIEnv *own, jobjectID blocker_class, jlong nanos)
{
    __atomic_add_fetch(&events[PARKED], 1, __ATOMIC_RELAXED);
    if (spoils)
        errno = EXDEV;
}

static void on_load(const char *options)
{
    static const int all[] = { JVMPI_EVENT_THREAD_START,
                               JVMPI_EVENT_THREAD_END,
                               JVMPI_EVENT_CLASS_LOAD,
                               JVMPI_EVENT_CLASS_LOAD_HOOK,
                               JVMPI_EVENT_OBJECT_ALLOC,
                               JVMPI_EVENT_JNI_GLOBALREF_ALLOC,
                               JVMPI_EVENT_JNI_GLOBALREF_FREE,
                               JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC,
                               JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE,
                               JVMPI_EVENT_MONITOR_CONTENDED_ENTER,
                               JVMPI_EVENT_MONITOR_CONTENDED_ENTERED,
                               JVMPI_EVENT_MONITOR_CONTENDED_EXIT,
                               JVMPI_EVENT_MONITOR_WAIT,
                               JVMPI_EVENT_MONITOR_WAITED,
                               JVMPI_EVENT_METHOD_ENTRY,
                               JVMPI_EVENT_METHOD_EXIT,
                               0 };
    static const int more[] = { JVMPI_EVENT_METHOD_ENTRY2, JVMPI_EVENT_INSTRUCTION_START, 0 };
    XRun_Extension *xrun = NULL;

    spoils = strstr(options, "spoils") != NULL;
    spoils_methods = strstr(options, "methods") != NULL;
    enable_all(all);
    if (strstr(options, "plain") == NULL)
        enable_all(more);
    (*vm)->GetEnv(vm, (void **)&xrun, XRUN_EXT_VERSION_1);
    xrun->watch_parks(parked);
}

static void on_event(JVMPI_Event *event, int type)
{
    __atomic_add_fetch(&events[type], 1, __ATOMIC_RELAXED);
    if (type == JVMPI_EVENT_MONITOR_WAITED)
        told_env = event->env_id;
    if (type == JVMPI_EVENT_CLASS_LOAD_HOOK) {
        event->u.class_load_hook.new_class_data = event->u.class_load_hook.class_data;
        event->u.class_load_hook.new_class_data_len = event->u.class_load_hook.class_data_len;
    }
    if (spoils && (spoils_methods || (type != JVMPI_EVENT_METHOD_ENTRY && type != JVMPI_EVENT_METHOD_EXIT)))
        errno = EXDEV;
}

static void check(JNIEnv *env, const char *what)
{
}

static JNIEnv *env;
static jclass program;

/* Whether errno comes through while there is an event; 0: there is none. */
#define KEEPS(what, event, prepare, action)                                             \
    do {                                                                                \
        int turn, found = 0, heard = 0;                                                 \
                                                                                        \
        for (turn = 0; turn < TRIES && !(found == MARK && heard); turn++) {             \
            long before;                                                                \
                                                                                        \
            prepare;                                                                    \
            before = events[event];                                                     \
            errno = MARK;                                                               \
            action;                                                                     \
            found = errno;                                                              \
            heard = jvmpi == NULL || event == 0 || events[event] > before;              \
        }                                                                               \
        expect("errno behind " what, found, MARK);                                      \
        if (jvmpi != NULL && event != 0)                                                \
            verdict(heard, "an event meanwhile", event);                                \
    } while (0)

static jmethodID method(const char *name, const char *signature)
{
    return (*env)->GetStaticMethodID(env, program, name, signature);
}

static void call(jmethodID id)
{
    (*env)->CallStaticVoidMethod(env, program, id);
}

static void clear(void)
{
    int errno_before = errno;

    (*env)->ExceptionClear(env);
    errno = errno_before;
}

JNIEXPORT jint JNICALL Java_Errno_get(JNIEnv *own, jclass class)
{
    return errno;
}

JNIEXPORT void JNICALL Java_Errno_set(JNIEnv *own, jclass class)
{
    errno = MARK;
}

JNIEXPORT jint JNICALL Java_Errno_waiting(JNIEnv *own, jclass class)
{
    return jvmpi == NULL ? -1 : (jint)__atomic_load_n(&events[JVMPI_EVENT_MONITOR_CONTENDED_ENTER], __ATOMIC_RELAXED);
}

static void natives(void)
{
    jmethodID get = method("get", "()I"), set = method("set", "()V");
    jint seen = 0;
    int i;

    KEEPS("a native method's beginning", JVMPI_EVENT_METHOD_ENTRY, , {
        seen = (*env)->CallStaticIntMethod(env, program, get);
        errno = seen;
    });
    KEEPS("a native method's end", JVMPI_EVENT_METHOD_EXIT, , {
        errno = 0;
        call(set);
    });
    for (i = 0; i < 1; i++) {
        JNINativeMethod bound = { "bound", "()V", (void *)Java_Errno_set };

        KEEPS("RegisterNatives", 0, , (*env)->RegisterNatives(env, program, &bound, 1));
    }
}

static void java_methods(void)
{
    static const char *names[] = { "returns", "throwsOut", "branches" };
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        jmethodID id = method(names[i], "()V");

        say("%s", names[i]);
        KEEPS("a Java method", JVMPI_EVENT_METHOD_EXIT, , {
            call(id);
            clear();
        });
    }
}

static void references(void)
{
    jobject ref = NULL;

    KEEPS("NewGlobalRef", JVMPI_EVENT_JNI_GLOBALREF_ALLOC, , ref = (*env)->NewGlobalRef(env, program));
    KEEPS("DeleteGlobalRef", JVMPI_EVENT_JNI_GLOBALREF_FREE, ref = (*env)->NewGlobalRef(env, program),
          (*env)->DeleteGlobalRef(env, ref));
    KEEPS("NewWeakGlobalRef", JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC, ,
          ref = (*env)->NewWeakGlobalRef(env, program));
    KEEPS("DeleteWeakGlobalRef", JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE,
          ref = (*env)->NewWeakGlobalRef(env, program), (*env)->DeleteWeakGlobalRef(env, ref));
}

static void objects(jobjectArray loaders, jbyteArray class_file)
{
    jsize length = (*env)->GetArrayLength(env, class_file);
    jbyte *bytes = malloc((size_t)length);
    jobject loader = NULL;
    int next = 0;

    (*env)->GetByteArrayRegion(env, class_file, 0, length, bytes);
    KEEPS("AllocObject", JVMPI_EVENT_OBJECT_ALLOC, , (*env)->AllocObject(env, program));
    KEEPS("DefineClass", JVMPI_EVENT_CLASS_LOAD_HOOK,
          loader = (*env)->GetObjectArrayElement(env, loaders, next++),
          (*env)->DefineClass(env, "Errno$Defined", loader, bytes, length));
    free(bytes);
}

/* Its own thread, which the VM does not know. */
static void *attaching(void *nothing)
{
    JNIEnv *own = NULL;

    KEEPS("AttachCurrentThread", JVMPI_EVENT_THREAD_START,
          if (own != NULL) (*vm)->DetachCurrentThread(vm),
          (*vm)->AttachCurrentThread(vm, (void **)&own, NULL));
    KEEPS("DetachCurrentThread", JVMPI_EVENT_THREAD_END,
          (*vm)->AttachCurrentThread(vm, (void **)&own, NULL), (*vm)->DetachCurrentThread(vm));
    return NULL;
}

static void threads_and_env(void)
{
    JNIEnv *own = NULL;
    pthread_t thread;

    KEEPS("GetEnv", 0, , (*vm)->GetEnv(vm, (void **)&own, JNI_VERSION_1_2));
    pthread_create(&thread, NULL, attaching, NULL);
    pthread_join(thread, NULL);
}

static void monitors(jobject lock)
{
    jmethodID hold = method("hold", "()V"), contend = method("contend", "()V");
    static const char *names[] = { "leaves", "leavesMethod" };
    size_t i;

    KEEPS("MonitorEnter", JVMPI_EVENT_MONITOR_CONTENDED_ENTERED, call(hold), {
        int seen;

        (*env)->MonitorEnter(env, lock);
        seen = errno;
        (*env)->MonitorExit(env, lock);
        errno = seen;
    });
    KEEPS("MonitorExit", JVMPI_EVENT_MONITOR_CONTENDED_EXIT,
          (*env)->MonitorEnter(env, lock); call(contend), (*env)->MonitorExit(env, lock));
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        jmethodID id = method(names[i], "()V");

        say("%s", names[i]);
        KEEPS("leaving a monitor", JVMPI_EVENT_MONITOR_CONTENDED_EXIT, , {
            errno = 0;
            call(id);
        });
    }
    KEEPS("Object.wait", JVMPI_EVENT_MONITOR_WAITED, , call(method("waits", "()V")));
    KEEPS("Thread.sleep", JVMPI_EVENT_MONITOR_WAIT, , call(method("sleeps", "()V")));
    KEEPS("LockSupport.park", PARKED, , call(method("parks", "()V")));
}

/* Somebody else gives a class new code. */
static void new_code(jbyteArray class_file)
{
    jsize length = (*env)->GetArrayLength(env, class_file);
    jbyte *bytes = malloc((size_t)length);
    jvmtiCapabilities wanted;
    jvmtiClassDefinition definition;
    jvmtiEnv *jvmti = NULL;
    jvmtiError error = JVMTI_ERROR_NONE;

    (*env)->GetByteArrayRegion(env, class_file, 0, length, bytes);
    definition.klass = (*env)->FindClass(env, "Errno$Defined");
    definition.class_byte_count = length;
    definition.class_bytes = (unsigned char *)bytes;
    memset(&wanted, 0, sizeof wanted);
    wanted.can_redefine_classes = wanted.can_retransform_classes = 1;
    (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2);
    (*jvmti)->AddCapabilities(jvmti, &wanted);
    KEEPS("RetransformClasses", 0, , error = (*jvmti)->RetransformClasses(jvmti, 1, &definition.klass));
    expect("retransformed", error, JVMTI_ERROR_NONE);
    KEEPS("RedefineClasses", 0, , error = (*jvmti)->RedefineClasses(jvmti, 1, &definition));
    expect("redefined", error, JVMTI_ERROR_NONE);
    (*jvmti)->DisposeEnvironment(jvmti);
    free(bytes);
}

/* On a virtual thread, which keeps its carrier while this is below it. */
JNIEXPORT void JNICALL Java_Errno_lookOnVirtual(JNIEnv *own, jclass class)
{
    env = own;
    program = class;
    KEEPS("Thread.sleep of a virtual thread", JVMPI_EVENT_MONITOR_WAITED, , call(method("sleeps", "()V")));
    virtual_env = told_env;
    carriers_env = own;
}

/* Elsewhere, with the env of that one: at the first try, which the log has a line for. */
JNIEXPORT void JNICALL Java_Errno_lookBack(JNIEnv *own, jclass class)
{
    jclass found = NULL;
    int behind, has_own = virtual_env != NULL && virtual_env != carriers_env;

    if (jvmpi == NULL)
        return;
    /* There is none in a VM of 32 bits. */
    verdict(has_own || sizeof(void *) == 4, "a virtual thread has an env of its own", 0);
    errno = MARK;
    if (has_own)
        found = (*virtual_env)->FindClass(virtual_env, "java/lang/String");
    behind = errno;
    verdict(found == NULL, "no JNI with the env of another thread", 0);
    expect("errno behind the refusal", behind, MARK);
}

JNIEXPORT void JNICALL Java_Errno_look(JNIEnv *own, jclass class, jobject lock, jobjectArray loaders,
                                       jbyteArray class_file)
{
    env = own;
    program = class;
    if (jvmpi == NULL) {
        (*env)->GetJavaVM(env, &vm);
        report_fd = open("report.txt", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    }
    natives();
    java_methods();
    references();
    objects(loaders, class_file);
    threads_and_env();
    monitors(lock);
    new_code(class_file);
}

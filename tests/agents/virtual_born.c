/* Births, objects and a monitor of VirtualBorn's virtual threads: in which group they are, that JNI works with their
 * env in THREAD_START and THREAD_END, whose env their objects and the monitor's exit come with. It also keeps what it
 * knows of a thread in the operating system's storage, as many agents did, and says whether that was mixed up.
 * Options: none, `carriers` or `off`, as of virtual-threads=. */
#include "check.h"

#define VIRTUAL_OBJECTS 400
#define MAIN_OBJECTS 5

static const char *mode;
static jclass program;
static jmethodID twice;
static jobjectID marked, lock;
static long begun, ended, other_groups, broken_starts, broken_ends;
static long of_main, of_virtual, of_others, by_carrier, mixed;
static long contended, exits_of_owner;

/* Of the operating system's thread. */
static __thread JNIEnv *told, *native;
static __thread const char *alive;
static __thread JNIEnv *mine;

static int is_virtual(const char *name)
{
    return strncmp(name, "born ", 5) == 0 || strncmp(name, "grandchild ", 11) == 0 || strcmp(name, "parent") == 0
        || strcmp(name, "owner") == 0;
}

/* All kinds of JNI; 0 if it is as it must be. */
static int fails(JNIEnv *env)
{
    jclass found = (*env)->FindClass(env, "java/lang/String");
    jstring text = (*env)->NewStringUTF(env, "born");
    jobject global = (*env)->NewGlobalRef(env, text);
    int failed = found == NULL || text == NULL || !(*env)->IsInstanceOf(env, text, found)
        || (*env)->GetStringLength(env, text) != 4 || !(*env)->IsSameObject(env, global, text)
        || (*env)->CallStaticIntMethod(env, program, twice, 21) != 42 || (*env)->ExceptionCheck(env);

    (*env)->DeleteGlobalRef(env, global);
    (*env)->DeleteLocalRef(env, text);
    (*env)->DeleteLocalRef(env, found);
    return failed;
}

static void on_start(const JVMPI_Event *event)
{
    const char *parent = event->u.thread_start.parent_name;

    if (event->env_id == event->u.thread_start.thread_env_id)
        mine = event->env_id;
    if (!is_virtual(event->u.thread_start.thread_name))
        return;
    __atomic_add_fetch(&begun, 1, __ATOMIC_RELAXED);
    if (strcmp(event->u.thread_start.group_name, "VirtualThreads") != 0 || parent == NULL || strcmp(parent, "system") != 0)
        __atomic_add_fetch(&other_groups, 1, __ATOMIC_RELAXED);
    if (fails(event->env_id))
        __atomic_add_fetch(&broken_starts, 1, __ATOMIC_RELAXED);
}

/* A look from outside: the name of who ends is not in the event. */
static void on_end(const JVMPI_Event *event)
{
    const char *name = jvmpi->GetThreadLocalStorage(event->env_id);

    if (name == NULL)
        return;
    __atomic_add_fetch(&ended, 1, __ATOMIC_RELAXED);
    if (fails(event->env_id))
        __atomic_add_fetch(&broken_ends, 1, __ATOMIC_RELAXED);
}

static void on_alloc(const JVMPI_Event *event)
{
    if (mine != NULL && mine != event->env_id)
        __atomic_add_fetch(&mixed, 1, __ATOMIC_RELAXED);
    if (marked == NULL || event->u.obj_alloc.class_id != marked)
        return;
    if (alive == NULL || event->env_id != told)
        __atomic_add_fetch(&of_others, 1, __ATOMIC_RELAXED);
    else if (strcmp(alive, "main") == 0)
        __atomic_add_fetch(&of_main, 1, __ATOMIC_RELAXED);
    else
        __atomic_add_fetch(&of_virtual, 1, __ATOMIC_RELAXED);
    if (event->env_id == native)
        __atomic_add_fetch(&by_carrier, 1, __ATOMIC_RELAXED);
}

/* What the thread that calls now does comes with this env until it says `off`. */
static void on_thread(JNIEnv *env, const char *name)
{
    static const char main_name[] = "main", virtual_name[] = "virtual";
    int is_main = strcmp(name, main_name) == 0;

    native = env;
    alive = is_main ? main_name : virtual_name;
    told = is_main || mode[0] != '\0' ? env : env_named(name);
    if (!is_main && mode[0] == '\0')
        jvmpi->SetThreadLocalStorage(told, (void *)virtual_name);
}

static void check(JNIEnv *env, const char *what)
{
    jobject object;

    if (strcmp(what, "begin") == 0) {
        program = (*env)->NewGlobalRef(env, (*env)->FindClass(env, "VirtualBorn"));
        twice = (*env)->GetStaticMethodID(env, program, "twice", "(I)I");
        object = (*env)->GetStaticObjectField(env, program, (*env)->GetStaticFieldID(env, program, "LOCK", "Ljava/lang/Object;"));
        jvmpi->DisableGC();
        lock = jvmpi->jobject2jobjectID(object);
        jvmpi->EnableGC();
    }
    if (strncmp(what, "on ", 3) == 0)
        on_thread(env, what + 3);
    if (strcmp(what, "off") == 0)
        alive = NULL;
    if (strcmp(what, "contended") == 0 && __atomic_load_n(&contended, __ATOMIC_RELAXED))
        (*env)->SetStaticBooleanField(env, program, (*env)->GetStaticFieldID(env, program, "contended", "Z"), JNI_TRUE);
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END,
                                  JVMPI_EVENT_OBJECT_ALLOC, JVMPI_EVENT_MONITOR_CONTENDED_ENTER,
                                  JVMPI_EVENT_MONITOR_CONTENDED_EXIT, JVMPI_EVENT_JVM_SHUT_DOWN, 0 };

    mode = strdup(options);
    enable_all(events);
}

static void conclude(void)
{
    int are_threads = mode[0] == '\0';
    int are_seen = strcmp(mode, "off") != 0;

    expect("virtual threads that began", begun, are_threads ? 42 : 0);
    expect("in another group than VirtualThreads of system", other_groups, 0);
    expect("JNI that went wrong in THREAD_START", broken_starts, 0);
    expect("virtual threads that ended", ended, are_threads ? 40 : 0);
    expect("JNI that went wrong in THREAD_END", broken_ends, 0);
    expect("objects of main", of_main, MAIN_OBJECTS);
    expect("objects of virtual threads", of_virtual, are_seen ? VIRTUAL_OBJECTS : 0);
    expect("objects with another's env", of_others, 0);
    expect("objects with the env that native code has", by_carrier, MAIN_OBJECTS + (are_threads || !are_seen ? 0 : VIRTUAL_OBJECTS));
    if (are_threads)
        expect("the monitor that the owner left", exits_of_owner, 1);
    say("data of threads: %s", mixed ? "mixed up" : "each its own");
}

static void on_event(JVMPI_Event *event, int type)
{
    struct known_thread *thread;

    if (type == JVMPI_EVENT_CLASS_LOAD && strcmp(event->u.class_load.class_name, "VirtualBorn$Marked") == 0)
        marked = event->u.class_load.class_id;
    if (type == JVMPI_EVENT_THREAD_START && !(event->event_type & JVMPI_REQUESTED_EVENT))
        on_start(event);
    if (type == JVMPI_EVENT_THREAD_END)
        on_end(event);
    if (type == JVMPI_EVENT_OBJECT_ALLOC && !(event->event_type & JVMPI_REQUESTED_EVENT))
        on_alloc(event);
    if (type == JVMPI_EVENT_MONITOR_CONTENDED_ENTER && event->u.monitor.object == lock)
        __atomic_store_n(&contended, 1, __ATOMIC_RELAXED);
    if (type == JVMPI_EVENT_MONITOR_CONTENDED_EXIT && event->u.monitor.object == lock) {
        thread = thread_of(event->env_id);
        if (thread != NULL && strcmp(thread->name, "owner") == 0)
            __atomic_add_fetch(&exits_of_owner, 1, __ATOMIC_RELAXED);
    }
    if (type == JVMPI_EVENT_JVM_SHUT_DOWN)
        conclude();
}

/* What one may do with the JNIEnv of a virtual thread: JNI in its handlers, wherever it is mounted;
 * questions, suspensions and requests from another thread; and nothing, but no harm, where it is not the
 * caller's. */
#include "check.h"

#include <xrun_ext.h>

static XRun_Extension *xrun;
static jclass program;
static jmethodID twice;
/* What the last THREAD_START on request said, and the id of the one that has ended since. */
static struct {
    JNIEnv *env;
    jobjectID id;
    char name[40], group[40];
} told;
static jobjectID parked_id;
static long steps, wrong_answers, wrong_names, texts, references, strangers;

static const char *name_of(jmethodID id)
{
    struct known_method *method = method_by_id(id);

    return method != NULL ? method->name : "";
}

static void use(JNIEnv *env)
{
    jclass found = (*env)->FindClass(env, "java/lang/String");
    jstring text = (*env)->NewStringUTF(env, "stepping");
    const char *chars = (*env)->GetStringUTFChars(env, text, NULL);
    jobject global = (*env)->NewGlobalRef(env, text);
    JavaVM *same;

    if (found == NULL || !(*env)->IsInstanceOf(env, text, found))
        wrong_names++;
    if (chars == NULL || strcmp(chars, "stepping") != 0)
        texts++;
    (*env)->ReleaseStringUTFChars(env, text, chars);
    if (!(*env)->IsSameObject(env, global, text) || (*env)->GetJavaVM(env, &same) != 0)
        references++;
    (*env)->DeleteGlobalRef(env, global);
    if ((*env)->CallStaticIntMethod(env, program, twice, 21) != 42 || (*env)->ExceptionCheck(env))
        wrong_answers++;
    (*env)->DeleteLocalRef(env, text);
    (*env)->DeleteLocalRef(env, found);
}

/* Of another thread: each function gives its failure. */
static void misuse(JNIEnv *env)
{
    if ((*env)->FindClass(env, "java/lang/String") != NULL || (*env)->ExceptionCheck(env)
        || (*env)->MonitorEnter(env, program) == 0 || (*env)->GetArrayLength(env, (jarray)program) != 0
        || (*env)->CallStaticDoubleMethod(env, program, twice, 21) != 0)
        strangers++;
}

static int has_frame(JNIEnv *env, const char *name)
{
    JVMPI_CallFrame frames[30];
    JVMPI_CallTrace trace = { env, 0, frames };
    int i, found = 0;

    jvmpi->GetCallTrace(&trace, 30);
    for (i = 0; i < trace.num_frames; i++)
        found |= strcmp(name_of(frames[i].method_id), name) == 0;
    return found;
}

/* Its carrier waits with it. */
static void look_at_pinned(JNIEnv *pinned)
{
    expect("the pinned one waits", jvmpi->GetThreadStatus(pinned), JVMPI_THREAD_CONDVAR_WAIT);
    jvmpi->SuspendThread(pinned);
    expect("and is suspended", jvmpi->GetThreadStatus(pinned), JVMPI_THREAD_CONDVAR_WAIT | JVMPI_THREAD_SUSPENDED);
    verdict(has_frame(pinned, "<clinit>"), "the stack of one that is pinned", 0);
    jvmpi->ResumeThread(pinned);
    expect("it waits again", jvmpi->GetThreadStatus(pinned), JVMPI_THREAD_CONDVAR_WAIT);
}

static int lists(JNIEnv *const *envs, int count, JNIEnv *env)
{
    int i, found = 0;

    for (i = 0; i < count; i++)
        found += envs[i] == env;
    return found;
}

/* Who is mounted: the one that spins and the one that keeps its carrier. */
static void look_at_mounted(JNIEnv *spinning, JNIEnv *parked)
{
    JNIEnv *envs[4] = { NULL, NULL, NULL, NULL };

    expect("two are mounted", xrun->get_mounted(4, envs), 2);
    expect("the one that runs", lists(envs, 2, spinning), 1);
    expect("the pinned one", lists(envs, 2, env_named("pinned")), 1);
    expect("and not the parked one", lists(envs, 4, parked), 0);
    expect("without room", xrun->get_mounted(0, NULL), 2);
    envs[1] = NULL;
    expect("with less", xrun->get_mounted(1, envs), 2);
    verdict(envs[0] != NULL && envs[1] == NULL, "no more is written than there is room for", 0);
    expect("nowhere", xrun->get_mounted(1, NULL), JVMPI_FAIL);
}

/* THREAD_START on request says the same as the first, of a virtual thread that is mounted or not. */
static void look_at_request(JNIEnv *env, const char *name)
{
    jobjectID id = jvmpi->GetThreadObject(env);

    expect("its object on request", jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, id), JVMPI_SUCCESS);
    memset(&told, 0, sizeof told);
    expect(name, jvmpi->RequestEvent(JVMPI_EVENT_THREAD_START, id), JVMPI_SUCCESS);
    verdict(told.env == env && told.id == id && strcmp(told.name, name) == 0
                && strcmp(told.group, "VirtualThreads") == 0,
            "THREAD_START on request", 0);
}

static void look(void)
{
    JNIEnv *parked = env_named("parked"), *spinning = env_named("spinning");
    jint results[2] = { -7, -7 };
    JNIEnv *both[2];
    jlong before;
    int i;

    if (parked == NULL || spinning == NULL)
        return;
    both[0] = parked;
    both[1] = spinning;
    verdict(parked != spinning, "two threads have two envs", 0);
    expect("the parked one waits", jvmpi->GetThreadStatus(parked), JVMPI_THREAD_CONDVAR_WAIT);
    /* One that stands at a safepoint just now seems to wait: the kernel says that its carrier does. */
    for (i = 0; i < 100 && jvmpi->GetThreadStatus(spinning) != JVMPI_THREAD_RUNNABLE; i++)
        usleep(10000);
    expect("the spinning one runs", i < 100, 1);
    verdict(has_frame(parked, "parks"), "the stack of one that is not mounted", 0);
    verdict(has_frame(spinning, "spins"), "the stack of one that is", 0);
    jvmpi->SetThreadLocalStorage(parked, "p");
    jvmpi->SetThreadLocalStorage(spinning, "s");
    verdict(strcmp(jvmpi->GetThreadLocalStorage(parked), "p") == 0, "storage", 0);
    verdict(jvmpi->GetThreadObject(parked) != NULL, "its object", 0);
    verdict(jvmpi->GetThreadObject(parked) != jvmpi->GetThreadObject(spinning), "which is its own", 0);
    jvmpi->SuspendThread(spinning);
    expect("it is suspended", jvmpi->GetThreadStatus(spinning), JVMPI_THREAD_RUNNABLE | JVMPI_THREAD_SUSPENDED);
    verdict(has_frame(spinning, "spins"), "the stack of one that is suspended", 0);
    jvmpi->ResumeThread(spinning);
    expect("it runs again", jvmpi->GetThreadStatus(spinning), JVMPI_THREAD_RUNNABLE);
    jvmpi->SuspendThreadList(2, both, results);
    expect("the parked one is suspended with the other", results[0], 0);
    expect("and that one", results[1], 0);
    expect("it waits", jvmpi->GetThreadStatus(parked), JVMPI_THREAD_CONDVAR_WAIT | JVMPI_THREAD_SUSPENDED);
    jvmpi->ResumeThreadList(2, both, results);
    expect("the parked one goes on", results[0], 0);
    expect("and the other", results[1], 0);
    jvmpi->SuspendThreadList(2, both, results);
    verdict(!jvmpi->ThreadHasRun(parked), "the parked one has not run since", 0);
    verdict(jvmpi->ThreadHasRun(spinning), "the other has", 0);
    jvmpi->ResumeThreadList(2, both, results);
    before = jvmpi->GetCurrentThreadCpuTime();
    verdict(before > 0, "CPU time", before);
    parked_id = jvmpi->GetThreadObject(parked);
    look_at_request(parked, "parked");
    look_at_request(spinning, "spinning");
    look_at_mounted(spinning, parked);
    look_at_pinned(env_named("pinned"));
    misuse(parked);
    misuse(spinning);
    expect("calls with the env of another thread that do something", strangers, 0);
}

/* The carrier's env, as a native gets it and as GetEnv gives it, means the virtual thread. */
static void look_at_own(JNIEnv *env)
{
    JNIEnv *own = env_named("asks"), *given = NULL;
    JavaVM *vm;

    (*env)->GetJavaVM(env, &vm);
    (*vm)->GetEnv(vm, (void **)&given, JNI_VERSION_1_6);
    verdict(given == env && own != env, "GetEnv gives the carrier's", 0);
    jvmpi->SetThreadLocalStorage(own, "own");
    verdict(jvmpi->GetThreadLocalStorage(env) == jvmpi->GetThreadLocalStorage(own), "which has the same storage", 0);
    verdict(jvmpi->GetThreadObject(env) == jvmpi->GetThreadObject(own), "and object", 0);
    expect("and status", jvmpi->GetThreadStatus(env), JVMPI_THREAD_RUNNABLE);
    verdict(has_frame(env, "asks") && has_frame(own, "asks"), "and stack", 0);
}

static void check(JNIEnv *env, const char *what)
{
    if (program == NULL) {
        program = (*env)->NewGlobalRef(env, (*env)->FindClass(env, "VirtualEnvs"));
        twice = (*env)->GetStaticMethodID(env, program, "twice", "(I)I");
    }
    if (strcmp(what, "look") == 0)
        look();
    if (strcmp(what, "own") == 0)
        look_at_own(env);
    if (strcmp(what, "ended") == 0)
        expect("no THREAD_START of one that has ended",
               jvmpi->RequestEvent(JVMPI_EVENT_THREAD_START, parked_id), JVMPI_FAIL);
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END, JVMPI_EVENT_CLASS_LOAD,
                                  JVMPI_EVENT_METHOD_ENTRY, JVMPI_EVENT_JVM_SHUT_DOWN, 0 };

    (void)options;
    if ((*vm)->GetEnv(vm, (void **)&xrun, XRUN_EXT_VERSION_1) != JNI_OK)
        say("FAIL no extension");
    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
    struct known_thread *thread;

    switch (type) {
    case JVMPI_EVENT_THREAD_START:
        if (!(event->event_type & JVMPI_REQUESTED_EVENT))
            return;
        told.env = event->u.thread_start.thread_env_id;
        told.id = event->u.thread_start.thread_id;
        snprintf(told.name, sizeof told.name, "%s", event->u.thread_start.thread_name);
        snprintf(told.group, sizeof told.group, "%s", event->u.thread_start.group_name);
        return;
    case JVMPI_EVENT_METHOD_ENTRY:
        if (program == NULL || strcmp(name_of(event->u.method.method_id), "step") != 0)
            return;
        thread = thread_of(event->env_id);
        if (thread == NULL || strcmp(thread->name, "stepping") != 0)
            __atomic_add_fetch(&wrong_names, 1, __ATOMIC_RELAXED);
        __atomic_add_fetch(&steps, 1, __ATOMIC_RELAXED);
        use(event->env_id);
        return;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        expect("methods that were entered", steps, 500);
        expect("methods of another thread", wrong_names, 0);
        expect("calls of Java that went wrong", wrong_answers, 0);
        expect("texts that went wrong", texts, 0);
        expect("references that went wrong", references, 0);
        return;
    }
}

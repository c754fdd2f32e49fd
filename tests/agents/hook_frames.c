/* Takes call traces inside handlers, where a hook is on top of the stack or in its midst: of
 * its own thread, and of one that is in such a handler. What is to be seen is a list of methods
 * of HookFrames, callee first. */
#include "check.h"

enum { DEPTH = 50 };

static long looks, dumps, entered;
static int parked, released;
static char of_watched[200]; /* in the handler of the one that is watched */
static __thread char allocating[200];
static __thread int allocated;
static int allocations;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END, JVMPI_EVENT_CLASS_LOAD,
                                  JVMPI_EVENT_OBJECT_ALLOC, JVMPI_EVENT_METHOD_ENTRY, JVMPI_EVENT_METHOD_ENTRY2,
                                  JVMPI_EVENT_METHOD_EXIT, JVMPI_EVENT_MONITOR_CONTENDED_ENTER,
                                  JVMPI_EVENT_MONITOR_CONTENDED_EXIT, 0 };

    enable_all(events);
}

static void names(char *text, size_t room, const JVMPI_CallFrame *frames, int count)
{
    int i;

    text[0] = '\0';
    for (i = 0; i < count; i++) {
        struct known_method *method = method_by_id(frames[i].method_id);
        size_t length = strlen(text);

        snprintf(text + length, room - length, "%s%s", i > 0 ? " " : "", method != NULL ? method->name : "?");
    }
}

static int is_seen(JNIEnv *env, int depth, const char *right)
{
    JVMPI_CallFrame frames[DEPTH];
    JVMPI_CallTrace trace = { env, 0, frames };
    char seen[2000];

    jvmpi->GetCallTrace(&trace, depth);
    names(seen, sizeof seen, frames, trace.num_frames);
    __atomic_add_fetch(&looks, 1, __ATOMIC_RELAXED);
    if (strcmp(seen, right) == 0)
        return 1;
    if (*allocating == '\0')
        say("FAIL frames at depth %d: `%s`, not `%s`", depth, seen, right);
    return 0;
}

/* At each depth, and at more than there are frames. */
static void look(JNIEnv *env, const char *right)
{
    char part[200];
    int depth, length = 0;

    for (depth = 1; right[length] != '\0'; depth++) {
        length += (int)strcspn(right + length + 1, " ") + 1;
        snprintf(part, sizeof part, "%.*s", length, right);
        is_seen(env, depth, part);
    }
    is_seen(env, depth, right);
    is_seen(env, DEPTH, right);
}

/* Until somebody has looked at it. */
static void park(void)
{
    __atomic_store_n(&parked, 1, __ATOMIC_SEQ_CST);
    while (!__atomic_load_n(&released, __ATOMIC_SEQ_CST))
        sleep_ms(1);
}

static jclass hook_frames;

static void call(JNIEnv *env, const char *name)
{
    jmethodID method = (*env)->GetStaticMethodID(env, hook_frames, name, "()V");

    if (method == NULL)
        say("FAIL no HookFrames.%s", name);
    else
        (*env)->CallStaticVoidMethod(env, hook_frames, method);
    (*env)->ExceptionCheck(env); /* as -Xcheck:jni wants after a call */
}

static jmethodID leaf, outer, blocked, nested;

static void learn_methods(const JVMPI_Event *event)
{
    int i;

    for (i = 0; i < event->u.class_load.num_methods; i++) {
        const JVMPI_Method *method = &event->u.class_load.methods[i];

        if (strcmp(method->method_name, "leaf") == 0)
            leaf = method->method_id;
        if (strcmp(method->method_name, "outer") == 0)
            outer = method->method_id;
        if (strcmp(method->method_name, "blocked") == 0)
            blocked = method->method_id;
        if (strcmp(method->method_name, "nested") == 0)
            nested = method->method_id;
    }
}

static void method_event(JVMPI_Event *event, int type)
{
    jmethodID id = event->u.method.method_id;

    if (id == leaf) {
        look(event->env_id, "leaf middle top main");
        __atomic_add_fetch(&entered, 1, __ATOMIC_RELAXED);
    }
    if (type != JVMPI_EVENT_METHOD_ENTRY)
        return;
    if (id == outer)
        call(event->env_id, "inner");
    if (id == nested)
        call(event->env_id, "leaves");
    if (id == blocked)
        park();
}

static void dump(const JVMPI_Event *event)
{
    int i;

    dumps++;
    for (i = 0; i < event->u.monitor_dump.num_traces; i++) {
        const JVMPI_CallTrace *trace = &event->u.monitor_dump.traces[i];
        char seen[2000];

        names(seen, sizeof seen, trace->frames, trace->num_frames);
        if (strchr(seen, '?') != NULL)
            say("FAIL frames in a dump: `%s`", seen);
        if (trace->env_id == env_named("watched") && strcmp(seen, of_watched) != 0)
            say("FAIL frames in a dump: `%s`, not `%s`", seen, of_watched);
    }
}

static int contended;

static void on_event(JVMPI_Event *event, int type)
{
    struct known_thread *thread;

    switch (type) {
    case JVMPI_EVENT_CLASS_LOAD:
        if (strcmp(event->u.class_load.class_name, "HookFrames") == 0)
            learn_methods(event);
        break;
    case JVMPI_EVENT_METHOD_ENTRY:
    case JVMPI_EVENT_METHOD_ENTRY2:
    case JVMPI_EVENT_METHOD_EXIT:
        method_event(event, type);
        break;
    case JVMPI_EVENT_OBJECT_ALLOC:
        if (*allocating != '\0')
            allocated += is_seen(event->env_id, DEPTH, allocating);
        break;
    case JVMPI_EVENT_MONITOR_CONTENDED_ENTER:
        thread = thread_of(event->env_id);
        if (thread != NULL && strcmp(thread->name, "contender") == 0)
            __atomic_store_n(&contended, 1, __ATOMIC_SEQ_CST);
        break;
    case JVMPI_EVENT_MONITOR_CONTENDED_EXIT:
        thread = thread_of(event->env_id);
        if (thread != NULL && strcmp(thread->name, "watched") == 0 && !released) {
            look(event->env_id, of_watched);
            park();
        }
        break;
    case JVMPI_EVENT_MONITOR_DUMP:
        dump(event);
    }
}

static void watch(void)
{
    JNIEnv *env = env_named("watched");

    while (!__atomic_load_n(&parked, __ATOMIC_SEQ_CST))
        sleep_ms(1);
    look(env, of_watched);
    jvmpi->SuspendThread(env);
    look(env, of_watched);
    jvmpi->ResumeThread(env);
    /* Who has listened to it is shown frames in another way afterwards. */
    if (dumps == 2)
        jvmpi->DisableEvent(JVMPI_EVENT_CLASS_LOAD, NULL);
    if (jvmpi->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, NULL) != JVMPI_SUCCESS)
        say("FAIL no dump");
    parked = 0;
    contended = 0;
    __atomic_store_n(&released, 1, __ATOMIC_SEQ_CST);
}

static void check(JNIEnv *env, const char *what)
{
    const char *frames = strchr(what, ' ') != NULL ? strchr(what, ' ') + 1 : "";

    if (strcmp(what, "begin") == 0)
        hook_frames = (*env)->NewGlobalRef(env, (*env)->FindClass(env, "HookFrames"));
    if (strncmp(what, "look ", 5) == 0)
        look(env, frames);
    if (strncmp(what, "allocates ", 10) == 0)
        snprintf(allocating, sizeof allocating, "%s", frames);
    if (strcmp(what, "allocated") == 0) {
        *allocating = '\0';
        allocations += allocated;
    }
    if (strncmp(what, "until ", 6) == 0)
        while (!__atomic_load_n(&contended, __ATOMIC_SEQ_CST))
            sleep_ms(1);
    if (strncmp(what, "next ", 5) == 0) {
        snprintf(of_watched, sizeof of_watched, "%s", frames);
        contended = 0;
        released = 0;
    }
    if (strcmp(what, "watch") == 0)
        watch();
    if (strcmp(what, "done") == 0) {
        expect("METHOD_ENTRY, METHOD_ENTRY2 and METHOD_EXIT of leaf", entered, 3);
        verdict(allocations > 0, "OBJECT_ALLOC below a hook", allocations);
        expect("dumps", dumps, 3);
        verdict(looks > 100, "call traces", looks);
    }
}

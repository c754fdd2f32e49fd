/* Requests MONITOR_DUMP and reads it byte by byte (JVMPI facts D.5). */
#include "check.h"

static JVMPI_RawMonitor outer, inner;
static int quiet; /* count only */
static int throws; /* each handler of a monitor event leaves an exception pending */
static jthrowable thrown;
static long enters, entereds, exits, missing;
static __thread long exits_before;
static __thread long exits_here, exits_inside;
static long dumps, threads_seen, java_seen, owned_seen, waiters_seen, bad;
static long at_raw; /* who enters or waits on a raw monitor, in the last dump */
static int contending[sizeof threads / sizeof *threads];

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END,
                                  JVMPI_EVENT_CLASS_LOAD, 0 };
    static const int more[] = { JVMPI_EVENT_MONITOR_CONTENDED_ENTER, JVMPI_EVENT_MONITOR_CONTENDED_ENTERED,
                                JVMPI_EVENT_MONITOR_CONTENDED_EXIT, JVMPI_EVENT_MONITOR_WAIT,
                                JVMPI_EVENT_MONITOR_WAITED, 0 };

    enable_all(events);
    throws = strcmp(options, "throws") == 0;
    if (throws || strcmp(options, "all") == 0)
        enable_all(more);
    outer = jvmpi->RawMonitorCreate("outer");
    inner = jvmpi->RawMonitorCreate("_inner");
}

static int wrong(const char *what, long value)
{
    if (__sync_add_and_fetch(&bad, 1) < 20)
        say("FAIL %s: %ld (%#lx)", what, value, value);
    return 0;
}

/* ---- the dump ---- */

static const unsigned char *at, *end;

static unsigned long number(int size)
{
    unsigned long value = 0;
    int i;

    if (end - at < size) {
        at = end + 1;
        return 0;
    }
    for (i = 0; i < size; i++)
        value = value << 8 | at[i];
    at += size;
    return value;
}

static void *word(void)
{
    void *value;

    if (end - at < (long)sizeof value) {
        at = end + 1;
        return NULL;
    }
    memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
}

static const char *name_of(JNIEnv *env)
{
    struct known_thread *thread = thread_of(env);

    if (thread == NULL) {
        wrong("an env without THREAD_START", (long)env);
        return "?";
    }
    return thread->name;
}

static void list(char *text, size_t room)
{
    unsigned long i, count = number(4);

    text[0] = '\0';
    for (i = 0; i < count && at <= end; i++) {
        size_t length = strlen(text);

        waiters_seen++;
        snprintf(text + length, room - length, "%s%s", i > 0 ? "," : "", name_of(word()));
    }
}

static void monitor(void)
{
    char what[200], entering[2000], waiting[2000];
    unsigned long tag = number(1), count;
    long before = waiters_seen;
    JNIEnv *owner;

    if (tag == JVMPI_MONITOR_JAVA) {
        jobjectID object = word();

        java_seen++;
        snprintf(what, sizeof what, "java %s", quiet ? "" : class_of(object));
    } else if (tag == JVMPI_MONITOR_RAW) {
        const char *name = word();

        word();
        snprintf(what, sizeof what, "raw %s", name);
    } else {
        wrong("tag", (long)tag);
        at = end + 1;
        return;
    }
    owner = word();
    count = number(4);
    if ((owner != NULL) != (count != 0))
        wrong("entry count", (long)count);
    owned_seen += owner != NULL;
    list(entering, sizeof entering);
    list(waiting, sizeof waiting);
    if (tag == JVMPI_MONITOR_RAW)
        at_raw += waiters_seen - before;
    if (!quiet)
        say("MONITOR %s owner=%s count=%lu enter=%s notify=%s", what, owner != NULL ? name_of(owner) : "", count,
            entering, waiting);
}

/* HPROF introduces the threads of a dump so. */
static void introduce(JNIEnv *env)
{
    jobjectID thread = jvmpi->GetThreadObject(env);

    if (thread == NULL || jvmpi->RequestEvent(JVMPI_EVENT_THREAD_START, thread) != JVMPI_SUCCESS)
        wrong("THREAD_START of a thread in the dump", (long)thread);
}

static void trace(const JVMPI_CallTrace *trace, jint status)
{
    int i;

    if (trace->env_id == NULL || trace->num_frames < 0 || (status & ~0xc000) < 1 || (status & ~0xc000) > 3)
        wrong("trace", status);
    name_of(trace->env_id);
    if (!quiet) {
        char frames[1000] = "";

        introduce(trace->env_id);
        for (i = 0; i < trace->num_frames && i < 16; i++) {
            struct known_method *method = method_by_id(trace->frames[i].method_id);
            size_t length = strlen(frames);

            if (method == NULL)
                wrong("a method without CLASS_LOAD", i);
            else
                snprintf(frames + length, sizeof frames - length, " %s.%s", method->class_name, method->name);
        }
        say("THREAD %s status=%#x asked=%#x frames=%d%s", name_of(trace->env_id), (unsigned)status,
            (unsigned)jvmpi->GetThreadStatus(trace->env_id), trace->num_frames, frames);
    }
}

static void dump(const JVMPI_Event *event)
{
    int i;

    at = (const unsigned char *)event->u.monitor_dump.begin;
    end = (const unsigned char *)event->u.monitor_dump.end;
    if (!(event->event_type & JVMPI_REQUESTED_EVENT))
        wrong("not requested", event->event_type);
    dumps++;
    at_raw = 0;
    threads_seen += event->u.monitor_dump.num_traces;
    while (at < end)
        monitor();
    if (at != end)
        wrong("it ends in the middle of a record", at - end);
    for (i = 0; i < event->u.monitor_dump.num_traces; i++)
        trace(&event->u.monitor_dump.traces[i], event->u.monitor_dump.threads_status[i]);
}

/* Whether this thread is between its ENTER and its ENTERED. */
static void contend(JNIEnv *env, int does)
{
    static __thread struct known_thread *own;

    if (own == NULL)
        own = thread_of(env);
    if (own != NULL)
        __atomic_store_n(&contending[own - threads], does, __ATOMIC_SEQ_CST);
}

/* The program's exception is not for a handler, and the handler's not for the program. */
static void leave_exception(JNIEnv *env)
{
    if ((*env)->ExceptionCheck(env))
        wrong("an exception is pending in a handler", 1);
    else
        (*env)->Throw(env, thrown);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_MONITOR_CONTENDED_ENTER) {
        contend(event->env_id, 1);
        __sync_add_and_fetch(&enters, 1);
        exits_before = __sync_add_and_fetch(&exits, 0);
    } else if (type == JVMPI_EVENT_MONITOR_CONTENDED_ENTERED) {
        contend(event->env_id, 0);
        __sync_add_and_fetch(&entereds, 1);
        if (__sync_add_and_fetch(&exits, 0) == exits_before)
            __sync_add_and_fetch(&missing, 1);
    } else if (type == JVMPI_EVENT_MONITOR_CONTENDED_EXIT) {
        __sync_add_and_fetch(&exits, 1);
        exits_here++;
    } else if (type == JVMPI_EVENT_MONITOR_DUMP) {
        dump(event);
    }
    if (thrown != NULL && type >= JVMPI_EVENT_MONITOR_CONTENDED_ENTER && type <= JVMPI_EVENT_MONITOR_WAITED)
        leave_exception(event->env_id);
}

/* ---- raw monitors beside ---- */

static void contends(void *argument)
{
    jvmpi->RawMonitorEnter(outer);
    jvmpi->RawMonitorExit(outer);
}

static void waits(void *argument)
{
    jvmpi->RawMonitorEnter(inner);
    jvmpi->RawMonitorWait(inner, 0);
    jvmpi->RawMonitorExit(inner);
}

/* ---- natives of HandOvers ---- */

static void call(JNIEnv *env, jclass class, const char *name, const char *type, jint me)
{
    jmethodID method = (*env)->GetStaticMethodID(env, class, name, type);

    if (method != NULL)
        (*env)->CallStaticVoidMethod(env, class, method, me);
    (*env)->ExceptionCheck(env); /* as -Xcheck:jni wants after a call */
}

JNIEXPORT void JNICALL Java_HandOvers_nativeMethod(JNIEnv *env, jclass class, jint me)
{
    call(env, class, "hold", "(I)V", me);
}

JNIEXPORT void JNICALL Java_HandOvers_nativeInstance(JNIEnv *env, jobject this, jint me)
{
    jclass class = (*env)->GetObjectClass(env, this);

    call(env, class, "hold", "(I)V", me);
    call(env, class, "fail", "(I)V", me);
}

JNIEXPORT void JNICALL Java_HandOvers_byJni(JNIEnv *env, jclass class, jobject lock, jint me)
{
    if ((*env)->MonitorEnter(env, lock) != 0)
        say("FAIL MonitorEnter");
    call(env, class, "hold", "(I)V", me);
    if ((*env)->MonitorExit(env, lock) != 0)
        say("FAIL MonitorExit");
}

JNIEXPORT void JNICALL Java_HandOvers_byJniThrown(JNIEnv *env, jclass class, jobject lock, jint me)
{
    if ((*env)->MonitorEnter(env, lock) != 0)
        say("FAIL MonitorEnter");
    call(env, class, "hold", "(I)V", me);
    call(env, class, "fail", "(I)V", me);
    if ((*env)->MonitorExit(env, lock) != 0)
        say("FAIL MonitorExit");
}

/* Whether the agent has been told that the thread of this name waits to enter a monitor. The
 * VM says BLOCKED a moment earlier, and an owner that leaves then cannot say that it does. */
JNIEXPORT jboolean JNICALL Java_HandOvers_contends(JNIEnv *env, jclass class, jstring name)
{
    const char *text = (*env)->GetStringUTFChars(env, name, NULL);
    struct known_thread *thread = thread_named(text);

    (*env)->ReleaseStringUTFChars(env, name, text);
    return thread != NULL && __atomic_load_n(&contending[thread - threads], __ATOMIC_SEQ_CST);
}

static void check(JNIEnv *env, const char *what)
{
    int i, count = 0;
    jthrowable made;

    if (strcmp(what, "nothing") == 0) {
        if (throws) {
            (*env)->ThrowNew(env, (*env)->FindClass(env, "java/lang/IllegalStateException"), "the agent's");
            made = (*env)->ExceptionOccurred(env);
            (*env)->ExceptionClear(env);
            thrown = (*env)->NewGlobalRef(env, made);
        }
        return;
    }
    if (strcmp(what, "inside") == 0) {
        exits_inside = exits_here;
        return;
    }
    if (strcmp(what, "left one") == 0) {
        if (exits_here != exits_inside)
            wrong("EXIT while the monitor is still owned", exits_here - exits_inside);
        return;
    }
    if (strcmp(what, "left all") == 0) {
        if (exits_here != exits_inside + 1)
            wrong("EXIT once, when the last entry is left", exits_here - exits_inside);
        return;
    }

    if (strcmp(what, "dump") == 0) {
        jvmpi->RawMonitorEnter(outer);
        jvmpi->RawMonitorEnter(outer);
        jvmpi->CreateSystemThread("contends", JVMPI_NORMAL_PRIORITY, contends);
        jvmpi->CreateSystemThread("waits", JVMPI_NORMAL_PRIORITY, waits);
        /* Until both have come to where they stay. */
        quiet = 1;
        for (i = 0; i < 5000 && at_raw < 2; i++) {
            sleep_ms(1);
            if (jvmpi->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, NULL) != JVMPI_SUCCESS)
                wrong("RequestEvent", i);
        }
        quiet = dumps = 0;
        expect("RequestEvent", jvmpi->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, NULL), JVMPI_SUCCESS);
        expect("one dump", dumps, 1);
        jvmpi->RawMonitorExit(outer);
        jvmpi->RawMonitorExit(outer);
        return;
    }
    if (strcmp(what, "counts") == 0) {
        say("COUNTS enter=%ld entered=%ld exit=%ld missing=%ld", enters, entereds, exits, missing);
        return;
    }
    sscanf(what, "storm %d", &count);
    quiet = 1;
    for (i = 0; i < count; i++)
        if (jvmpi->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, NULL) != JVMPI_SUCCESS)
            wrong("RequestEvent", i);
    expect("as many dumps as were asked for", dumps, count);
    expect("nothing wrong in them", bad, 0);
    verdict(threads_seen > 50L * count, "all threads", threads_seen);
    verdict(java_seen > count && owned_seen > count / 2 && waiters_seen > count, "monitors with their threads",
            java_seen);
    say("SEEN threads=%ld java=%ld owned=%ld waiters=%ld", threads_seen, java_seen, owned_seen, waiters_seen);
}

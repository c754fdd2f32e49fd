/* GetCallTrace (JVMPI facts B.3). */
#include "check.h"
#include "tasks.h"
#include <sys/mman.h>

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END,
                                  JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_JVM_SHUT_DOWN, 0 };

    enable_all(events);
}

/* The frame is of Stack.<name>, in that line. */
static void frame(const char *what, const JVMPI_CallFrame *frame, const char *name, int line)
{
    struct known_method *method = method_by_id(frame->method_id);
    char text[200];

    snprintf(text, sizeof text, "%s: method %s", what, name);
    if (method == NULL)
        say("FAIL %s: an unknown method", text);
    else if (strcmp(method->name, name) != 0)
        say("FAIL %s: %s.%s", text, method->class_name, method->name);
    else
        say("ok %s", text);
    snprintf(text, sizeof text, "%s: line of %s", what, name);
    expect(text, frame->lineno, line);
}

/* Frames of one's own in a native: check (native, -3), three, two, one, main. */
static void own(JNIEnv *env)
{
    JVMPI_CallFrame frames[64];
    JVMPI_CallTrace trace = { env, -1, frames };
    int depth;

    jvmpi->GetCallTrace(&trace, 64);
    expect("own: number of frames", trace.num_frames, 5);
    frame("own", &frames[0], "check", -3);
    frame("own", &frames[1], "three", 5);
    frame("own", &frames[2], "two", 10);
    frame("own", &frames[3], "one", 14);
    frame("own", &frames[4], "main", 45);

    for (depth = 1; depth <= 5; depth++) {
        memset(frames, 0x55, sizeof frames);
        trace.num_frames = -1;
        jvmpi->GetCallTrace(&trace, depth);
        expect("own: no more frames than asked for", trace.num_frames, depth);
        expect("own: nothing is written behind them", frames[depth].lineno, 0x55555555);
    }
    frame("own, cut", &frames[0], "check", -3);

    memset(frames, 0x55, sizeof frames);
    trace.num_frames = -1;
    jvmpi->GetCallTrace(&trace, 0);
    expect("depth 0: no frames", trace.num_frames, 0);
    expect("depth 0: nothing is written", frames[0].lineno, 0x55555555);
    trace.frames = NULL;
    trace.num_frames = -1;
    jvmpi->GetCallTrace(&trace, 0);
    expect("depth 0 without room", trace.num_frames, 0);
}

static void bad(JNIEnv *env)
{
    static long nothing[64];
    JVMPI_CallFrame frames[4];
    JVMPI_CallTrace trace = { env, 77, frames };

    memset(frames, 0x55, sizeof frames);
    jvmpi->GetCallTrace(&trace, -1);
    expect("a negative depth", trace.num_frames, 0);
    trace.num_frames = 77;
    trace.env_id = NULL;
    jvmpi->GetCallTrace(&trace, 4);
    expect("env NULL", trace.num_frames, 0);
    trace.num_frames = 77;
    trace.env_id = (JNIEnv *)nothing;
    jvmpi->GetCallTrace(&trace, 4);
    expect("an env that is none", trace.num_frames, 0);
    trace.num_frames = 77;
    trace.env_id = (JNIEnv *)8;
    jvmpi->GetCallTrace(&trace, 4);
    expect("env 8", trace.num_frames, 0);
    trace.num_frames = 77;
    trace.env_id = env;
    trace.frames = NULL;
    jvmpi->GetCallTrace(&trace, 4);
    expect("no room", trace.num_frames, 0);
    jvmpi->GetCallTrace(NULL, 4);
    say("ok a NULL trace");
    expect("nothing was written", frames[0].lineno, 0x55555555);
}

/* Memory that can be read and not be written. */
static void read_only(JNIEnv *env)
{
    long page = sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, (size_t)(2 * page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    JVMPI_CallFrame *end = (JVMPI_CallFrame *)(pages + page);
    JVMPI_CallTrace trace = { env, 77, end };
    JVMPI_CallTrace *fixed = (JVMPI_CallTrace *)end;

    fixed->env_id = env;
    fixed->num_frames = 77;
    fixed->frames = end - 4;
    mprotect(end, (size_t)page, PROT_READ);
    jvmpi->GetCallTrace(&trace, 4);
    expect("frames in a read-only page", trace.num_frames, 0);
    trace.num_frames = 77;
    trace.frames = end - 2;
    jvmpi->GetCallTrace(&trace, 4);
    expect("frames that end in a read-only page", trace.num_frames, 0);
    jvmpi->GetCallTrace(fixed, 4);
    expect("a read-only trace", fixed->num_frames, 77);
    trace.frames = end - 4;
    jvmpi->GetCallTrace(&trace, 4);
    expect("frames before it", trace.num_frames, 4);
    munmap(pages, (size_t)(2 * page));
}

/* Another thread: waits in known lines, not suspended, then suspended. */
static void other(void)
{
    JNIEnv *env = env_named("other");
    JVMPI_CallFrame frames[64];
    JVMPI_CallTrace trace = { env, -1, frames };
    int suspended, i;

    for (suspended = 0; suspended < 2; suspended++) {
        const char *what = suspended ? "other, suspended" : "other";

        jvmpi->DisableGC();
        if (suspended)
            jvmpi->SuspendThread(env);
        memset(frames, 0, sizeof frames);
        trace.num_frames = -1;
        jvmpi->GetCallTrace(&trace, 64);
        if (suspended)
            jvmpi->ResumeThread(env);
        jvmpi->EnableGC();
        verdict(trace.num_frames >= 4, what, trace.num_frames);
        /* Object.wait has one frame or more, by JDK; the first is native. */
        expect("other: the callee is native", frames[0].lineno, -3);
        for (i = 0; i < trace.num_frames - 1; i++) {
            struct known_method *method = method_by_id(frames[i].method_id);

            if (method != NULL && strcmp(method->class_name, "java.lang.Object") != 0)
                break;
        }
        frame(what, &frames[i], "hold", 20);
        frame(what, &frames[i + 1], "run", 32);
        expect("other: that is all", trace.num_frames, i + 2);
    }
}

/* A method without line numbers, abstract and native ones have -1. */
static void lines(void)
{
    struct known_method *method = method_named("Stack", "one");

    expect("start line of a method", method->start, 14);
    expect("end line of a method", method->end, 15);
    method = method_named("Native", "check");
    expect("start line of a native method", method->start, -1);
    expect("end line of a native method", method->end, -1);
    method = method_named("java.lang.Runnable", "run");
    expect("start line of an abstract method", method->start, -1);
}

static int in_handler;

static void on_event(JVMPI_Event *event, int type)
{
    JVMPI_CallFrame frames[64];
    JVMPI_CallTrace trace = { event->env_id, -1, frames };

    if (event->event_type & JVMPI_REQUESTED_EVENT)
        return;
    /* The class that a frame belongs to is known by then. */
    if (type == JVMPI_EVENT_CLASS_LOAD && strcmp(event->u.class_load.class_name, "Stack$Late") == 0 && in_handler == 0) {
        in_handler = 1;
        jvmpi->GetCallTrace(&trace, 64);
        verdict(trace.num_frames >= 1, "in the handler of CLASS_LOAD", trace.num_frames);
        if (trace.num_frames >= 1)
            frame("in the handler of CLASS_LOAD", &frames[trace.num_frames - 1], "main", 44);
    }
    if (type == JVMPI_EVENT_THREAD_START && strcmp(event->u.thread_start.thread_name, "other") == 0) {
        jvmpi->GetCallTrace(&trace, 64);
        expect("a thread that has just begun has no frames", trace.num_frames, 0);
    }
}

static JNIEnv *ended_env;

static void *unattached(void *argument)
{
    JVMPI_CallFrame frames[4];
    JVMPI_CallTrace trace = { argument, 77, frames };

    jvmpi->GetCallTrace(&trace, 4);
    expect("asked by a thread the VM does not know", trace.num_frames, 0);
    return NULL;
}

static void check(JNIEnv *env, const char *what)
{
    pthread_t thread;

    if (strcmp(what, "ended") == 0) {
        JVMPI_CallFrame frames[4];
        JVMPI_CallTrace trace = { ended_env, 77, frames };
        long until = now_ms() + 20000;

        while (task_named("other") != 0 && now_ms() < until)
            sleep_ms(1);
        jvmpi->GetCallTrace(&trace, 4);
        expect("a thread that has ended", trace.num_frames, 0);
        return;
    }
    ended_env = env_named("other");
    own(env);
    bad(env);
    read_only(env);
    other();
    lines();
    pthread_create(&thread, NULL, unattached, env);
    pthread_join(thread, NULL);
}

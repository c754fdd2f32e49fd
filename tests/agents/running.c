/* Stacks of running threads, and their numbers in the kernel (xrun_ext.h). */
#include "check.h"

#include <sys/syscall.h>
#include <xrun_ext.h>

static XRun_Extension *xrun;
static int recorded, untried;

static void on_load(const char *options)
{
    /* Without the last one classes are asked for. */
    static int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END,
                            JVMPI_EVENT_CLASS_LOAD, 0 };

    if (strcmp(options, "on-demand") == 0)
        events[3] = 0;
    recorded = strcmp(options, "recorded") == 0;
    untried = strcmp(options, "untried") == 0;
    if ((*vm)->GetEnv(vm, (void **)&xrun, XRUN_EXT_VERSION_1) != JNI_OK)
        say("FAIL no extension");
    enable_all(events);
}

/* What a requested CLASS_LOAD says of the method that is sought. */
static jmethodID sought;
static struct known_method answer;

static void on_event(JVMPI_Event *event, int type)
{
    int i;

    if (type != JVMPI_EVENT_CLASS_LOAD || !(event->event_type & JVMPI_REQUESTED_EVENT))
        return;
    for (i = 0; i < event->u.class_load.num_methods; i++)
        if (event->u.class_load.methods[i].method_id == sought) {
            snprintf(answer.class_name, sizeof answer.class_name, "%s", event->u.class_load.class_name);
            snprintf(answer.name, sizeof answer.name, "%s", event->u.class_load.methods[i].method_name);
        }
}

static int method_is(jmethodID id, const char *class_name, const char *name)
{
    struct known_method *method = method_by_id(id);

    if (method == NULL) {
        method = &answer;
        sought = id;
        jvmpi->DisableGC();
        jvmpi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, jvmpi->GetMethodClass(id));
        jvmpi->EnableGC();
    }
    return strcmp(method->class_name, class_name) == 0
        && strncmp(method->name, name, strlen(name)) == 0;
}

/* The number of frames of one that runs: others may have the processor for a while. */
static int given(JNIEnv *env, JVMPI_CallFrame *frames, int depth)
{
    JVMPI_CallTrace trace = { env, -7, frames };
    long began = 0;

    do {
        if (xrun->get_running_traces(1, &trace, depth) != JVMPI_SUCCESS)
            return -2;
    } while (trace.num_frames < 0 && is_patient(&began));
    return trace.num_frames;
}

static void one(JNIEnv *spinning)
{
    JVMPI_CallFrame frames[64];
    JVMPI_CallTrace trace = { spinning, -7, frames };
    long began = 0;
    int count;

    memset(frames, 0x55, sizeof frames);
    expect("as many frames as there is room for", given(spinning, frames, 1), 1);
    expect("nothing is written behind them", frames[1].lineno, 0x55555555);
    verdict(method_is(frames[0].method_id, "States", "lambda$main$"), "it is where it spins", 0);
    expect("it goes on", jvmpi->GetThreadStatus(spinning), JVMPI_THREAD_RUNNABLE);
    expect("depth 0", given(spinning, NULL, 0), 0);

    /* That nothing is below what a signal has found, only a stopped thread has told. */
    do {
        jvmpi->SuspendThread(spinning);
        jvmpi->GetCallTrace(&trace, 64);
        jvmpi->ResumeThread(spinning);
        count = trace.num_frames;
        xrun->get_running_traces(1, &trace, 64);
    } while (trace.num_frames < 0 && is_patient(&began));
    expect("a whole stack has as many as a stopped one", trace.num_frames, count);
    verdict(count > 1 && method_is(frames[count - 1].method_id, "java.lang.Thread", "run"), "it ends at its start", count);

    trace.frames = NULL;
    expect("no room", xrun->get_running_traces(1, &trace, 1), JVMPI_SUCCESS);
    expect("no room: no frames", trace.num_frames, -1);
}

/* Who does not run Java code has none; the calling thread and nobody neither. */
static void others(JNIEnv *env)
{
    static const char *const names[] = { "waiting", "waiting-timed", "parked", "parked-timed", "blocked", "native", "sleeping" };
    enum { COUNT = sizeof names / sizeof *names };
    JVMPI_CallFrame frames[COUNT + 3];
    JVMPI_CallTrace traces[COUNT + 3];
    char text[100];
    int i;
    long began = 0;
    int settled;

    for (i = 0; i < COUNT + 3; i++) {
        traces[i].env_id = i < COUNT ? env_named(names[i]) : i == COUNT ? env : i == COUNT + 1 ? NULL : (JNIEnv *)traces;
        traces[i].frames = &frames[i];
    }
    /* Some are still on their way to where they wait. */
    do {
        for (i = 0; i < COUNT + 3; i++)
            traces[i].num_frames = 7;
        settled = xrun->get_running_traces(COUNT + 3, traces, 1) != JVMPI_SUCCESS;
        for (i = 0; i < COUNT + 3 && traces[i].num_frames == -1; i++)
            ;
        settled |= i == COUNT + 3;
    } while (!settled && is_patient(&began));
    expect("many at once", xrun->get_running_traces(COUNT + 3, traces, 1), JVMPI_SUCCESS);
    for (i = 0; i < COUNT + 3; i++) {
        const char *name = i < COUNT ? names[i] : i == COUNT ? "oneself" : "nobody";

        snprintf(text, sizeof text, "no frames: %s", name);
        verdict(traces[i].num_frames == -1, text, traces[i].num_frames);
    }
    expect("none", xrun->get_running_traces(0, NULL, 1), JVMPI_SUCCESS);
    expect("a negative count", xrun->get_running_traces(-1, traces, 1), JVMPI_FAIL);
    expect("a negative depth", xrun->get_running_traces(1, traces, -1), JVMPI_FAIL);
    expect("no traces", xrun->get_running_traces(1, NULL, 1), JVMPI_FAIL);
}

/* The kernel has the names of the VM's threads, of 15 letters. */
static void numbers(JNIEnv *env)
{
    static const char *const names[] = { "spinning", "parked" };
    char path[64], name[64], text[100];
    unsigned i;
    FILE *file;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "/proc/self/task/%d/comm", (int)xrun->get_kernel_thread(env_named(names[i])));
        file = fopen(path, "r");
        if (file == NULL || fgets(name, sizeof name, file) == NULL)
            strcpy(name, "nobody");
        if (file != NULL)
            fclose(file);
        name[strcspn(name, "\n")] = 0;
        snprintf(text, sizeof text, "the number of %s is that of %s", names[i], name);
        verdict(strcmp(name, names[i]) == 0, text, 0);
    }
    expect("one's own number", xrun->get_kernel_thread(env), syscall(SYS_gettid));
    expect("the number of nobody", xrun->get_kernel_thread(NULL), 0);
    expect("the number of nonsense", xrun->get_kernel_thread((JNIEnv *)path), 0);
}

static jint activity_of(JNIEnv *env)
{
    jint activity = 77;

    return xrun->get_activities(1, &env, &activity) == JVMPI_SUCCESS ? activity : -1;
}

/* It may still be on its way there, or stopped by the VM for a moment. */
static void comes_to(const char *text, JNIEnv *env, jint activity)
{
    long began = 0;
    jint seen;

    do
        seen = activity_of(env);
    while (seen != activity && is_patient(&began));
    expect(text, seen, activity);
}

static void activities(JNIEnv *env)
{
    static const char *const resting[] = { "waiting", "waiting-timed", "parked", "parked-timed", "blocked" };
    JNIEnv *envs[] = { env_named("parked"), NULL, env_named("spinning") };
    jint seen[3] = { 77, 77, 77 };
    unsigned i;

    for (i = 0; i < sizeof resting / sizeof *resting; i++)
        comes_to(resting[i], env_named(resting[i]), XRUN_RESTS);
    comes_to("spinning", env_named("spinning"), XRUN_RUNS_JAVA);
    comes_to("native", env_named("native"), XRUN_UNKNOWN);
    expect("what one does oneself", activity_of(env), XRUN_UNKNOWN);
    expect("what nobody does", activity_of(NULL), XRUN_UNKNOWN);
    expect("nobody is asked for", xrun->get_activities(0, NULL, NULL), JVMPI_SUCCESS);
    expect("no threads", xrun->get_activities(1, NULL, &seen[0]), JVMPI_FAIL);
    expect("no room", xrun->get_activities(1, envs, NULL), JVMPI_FAIL);
    expect("several", xrun->get_activities(3, envs, seen), JVMPI_SUCCESS);
    verdict(seen[0] == XRUN_RESTS && seen[1] == XRUN_UNKNOWN && seen[2] == XRUN_RUNS_JAVA, "each of several", seen[0]);
    expect("what nonsense does", activity_of((JNIEnv *)&i), XRUN_UNKNOWN);
}

static void check(JNIEnv *env, const char *what)
{
    JVMPI_CallFrame frame;
    JVMPI_CallTrace trace = { NULL, 7, &frame };

    if (strcmp(what, "threads") != 0)
        return;
    trace.env_id = env_named("spinning");
    if (recorded) {
        expect("recorded: traces", xrun->get_running_traces(1, &trace, 1), JVMPI_NOT_AVAILABLE);
        expect("recorded: frames", trace.num_frames, -1);
        expect("recorded: number", xrun->get_kernel_thread(trace.env_id), 0);
        expect("recorded: what it does", activity_of(trace.env_id), XRUN_UNKNOWN);
        expect("recorded: who is mounted", xrun->get_mounted(0, NULL), JVMPI_FAIL);
        return;
    }
    if (untried) {
        expect("no stacks in a VM that is newer than we are", xrun->get_running_traces(1, &trace, 1), JVMPI_NOT_AVAILABLE);
    } else {
        one(trace.env_id);
        others(env);
    }
    numbers(env);
    activities(env);
    expect("virtual threads where there are none", xrun->get_mounted(0, NULL), 0);
}

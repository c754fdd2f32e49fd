/* Every frame that a call trace shows is of a method that was entered: traces are taken when
 * Handles.leaf begins, on its own thread, and by a thread that suspends it now and then.
 *
 * A thread that is suspended in the middle of compiled code may show, on top, calls that the
 * compiler has put in and that come next: AsyncGetCallTrace goes by the next place that the compiler
 * has written down. Where programs are translated (qemu-user) signals come at such places. */
#include "check.h"

enum { MOST = 1 << 20, DEPTH = 64, MOST_ODD = 256 };

static JVMPI_RawMonitor pause_lock;
static pthread_mutex_t sampled = PTHREAD_MUTEX_INITIALIZER;
static jmethodID leaf, main_method;
static JNIEnv *main_env;
static volatile int over;
static struct { jmethodID id; volatile char entered; } known[MOST];
/* Traces with methods that had not been entered then: those, NULL for all others. */
static struct odd_trace { jmethodID ids[DEPTH]; int frames, sampled; } odd[MOST_ODD];
static volatile int odd_ones;
static int traces, samples, frames, short_ones;

static unsigned place_of(jmethodID id)
{
    unsigned at = (unsigned)((unsigned long)id * 0x9e3779b97f4a7c15u >> 40) % MOST;

    for (;; at = (at + 1) % MOST) {
        jmethodID there = __sync_val_compare_and_swap(&known[at].id, NULL, id);

        if (there == NULL || there == id)
            return at;
    }
}

static void look(JNIEnv *env, int depth, int sampled)
{
    JVMPI_CallFrame buffer[DEPTH];
    JVMPI_CallTrace trace = { env, 0, buffer };
    int i;

    jvmpi->GetCallTrace(&trace, depth);
    for (i = 0; i < trace.num_frames && known[place_of(buffer[i].method_id)].entered; i++)
        ;
    if (i < trace.num_frames) {
        int place = __sync_fetch_and_add(&odd_ones, 1);

        for (i = 0; place < MOST_ODD && i < trace.num_frames; i++)
            if (!known[place_of(buffer[i].method_id)].entered)
                odd[place].ids[i] = buffer[i].method_id;
        if (place < MOST_ODD) {
            odd[place].frames = trace.num_frames;
            odd[place].sampled = sampled;
        }
    }
    frames += trace.num_frames;
    /* main, and whoever has called leaf. */
    short_ones += depth == 2 && trace.num_frames != 2;
}

static void sample(void *unused)
{
    while (!over) {
        jvmpi->RawMonitorEnter(pause_lock);
        jvmpi->RawMonitorWait(pause_lock, 3);
        jvmpi->RawMonitorExit(pause_lock);
        pthread_mutex_lock(&sampled);
        if (main_env != NULL) {
            jvmpi->SuspendThread(main_env);
            look(main_env, DEPTH, 1);
            jvmpi->ResumeThread(main_env);
            samples++;
        }
        pthread_mutex_unlock(&sampled);
    }
}

/* Its thread is about to end. */
static void stop_sampling(void)
{
    pthread_mutex_lock(&sampled);
    main_env = NULL;
    pthread_mutex_unlock(&sampled);
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN, JVMPI_EVENT_CLASS_LOAD,
                                  JVMPI_EVENT_METHOD_ENTRY, JVMPI_EVENT_METHOD_EXIT, 0 };

    pause_lock = jvmpi->RawMonitorCreate("_entered");
    enable_all(events);
}

/* Whether methods were never entered that are on top of a sample, with nothing above them that had been; counts all
 * others. */
static int strange_on_top(const struct odd_trace *trace, int *others)
{
    int i, top = trace->sampled, strange = 0;

    for (i = 0; i < trace->frames; i++) {
        struct known_method *method;

        top = top && trace->ids[i] != NULL;
        if (trace->ids[i] == NULL || known[place_of(trace->ids[i])].entered)
            continue;
        method = method_by_id(trace->ids[i]);
        say("never entered: %s.%s, frame %d", method ? method->class_name : "?", method ? method->name : "?", i);
        strange |= top;
        *others += !top;
    }
    return strange;
}

static void finish(void)
{
    int i, tops = 0, others = 0;

    over = 1;
    for (i = 0; i < odd_ones && i < MOST_ODD; i++)
        tops += strange_on_top(&odd[i], &others);
    verdict(traces > 100, "traces of its own", traces);
    verdict(samples > 0, "samples", samples);
    verdict(frames > traces, "frames", frames);
    expect("traces shorter than the stack", short_ones, 0);
    verdict(odd_ones <= MOST_ODD, "all traces looked at", odd_ones);
    expect("methods on a stack that were never entered", others, 0);
    verdict(tops * 20 <= samples, "calls that come next", tops);
}

static void on_event(JVMPI_Event *event, int type)
{
    jmethodID id;
    int i;

    switch (type) {
    case JVMPI_EVENT_METHOD_ENTRY:
        id = event->u.method.method_id;
        if (id == main_method)
            /* What lies below was entered before somebody listened. */
            main_env = event->env_id;
        known[place_of(id)].entered = 1;
        if (id == leaf) {
            look(event->env_id, traces % 2 ? 2 : DEPTH, 0);
            traces++;
        }
        break;
    case JVMPI_EVENT_CLASS_LOAD:
        for (i = 0; strcmp(event->u.class_load.class_name, "Handles") == 0 && i < event->u.class_load.num_methods; i++) {
            JVMPI_Method *method = &event->u.class_load.methods[i];

            if (strcmp(method->method_name, "leaf") == 0)
                leaf = method->method_id;
            if (strcmp(method->method_name, "main") == 0)
                main_method = method->method_id;
        }
        break;
    case JVMPI_EVENT_JVM_INIT_DONE:
        jvmpi->CreateSystemThread("sampler", JVMPI_NORMAL_PRIORITY, sample);
        break;
    case JVMPI_EVENT_METHOD_EXIT:
        if (event->u.method.method_id == main_method)
            stop_sampling();
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        finish();
    }
}

static void check(JNIEnv *env, const char *what)
{
}

/* Entry point, handler, and the thread that takes the samples. */
#include "sampler.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct sample {
    JVMPI_CallTrace stack;
    struct thread *thread;
    jboolean ran;
};

static JVMPI_Interface *jvmpi;
static JavaVM *java_vm;
static struct settings settings = { .fd = 2, .interval = 10, .depth = 32, .top = 10, .traces = 3 };

static JVMPI_RawMonitor data_lock;
static JVMPI_RawMonitor wake_up; /* the sampling thread sleeps on it */
static int stop;                 /* under wake_up and data_lock */
static double started;

static struct sample *samples; /* grown before threads are suspended, never while */
static JVMPI_CallFrame *frames;
static int room;

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Suspended threads may own the lock of malloc: all memory is got beforehand. */
static int make_room(int wanted)
{
    struct sample *more_samples;
    JVMPI_CallFrame *more_frames;
    int i;

    if (wanted <= room)
        return 1;
    wanted += 64;
    more_samples = malloc((size_t)wanted * sizeof *more_samples);
    more_frames = malloc((size_t)wanted * (size_t)settings.depth * sizeof *more_frames);
    if (more_samples == NULL || more_frames == NULL) {
        free(more_samples);
        free(more_frames);
        return 0;
    }
    free(samples);
    free(frames);
    samples = more_samples;
    frames = more_frames;
    room = wanted;
    for (i = 0; i < room; i++)
        samples[i].stack.frames = frames + (size_t)i * (size_t)settings.depth;
    return 1;
}

static int is_runnable(JNIEnv *env)
{
    return (jvmpi->GetThreadStatus(env) & ~JVMPI_THREAD_INTERRUPTED) == JVMPI_THREAD_RUNNABLE;
}

/* Suspends what runs and takes the stacks. All stay suspended until the last
 * has been looked at, so that the samples are of one moment. */
static int suspend_and_look(JNIEnv *self)
{
    struct thread *thread;
    int taken = 0;

    for (thread = threads; thread != NULL && taken < room; thread = thread->next) {
        struct sample *sample = &samples[taken];

        if (thread->env == NULL || thread->env == self || !is_runnable(thread->env))
            continue;
        jvmpi->SuspendThread(thread->env);
        sample->thread = thread;
        sample->ran = jvmpi->ThreadHasRun(thread->env);
        sample->stack.env_id = thread->env;
        sample->stack.num_frames = 0;
        if (sample->ran)
            jvmpi->GetCallTrace(&sample->stack, settings.depth);
        taken++;
    }
    return taken;
}

static void resume(int taken)
{
    int i;

    for (i = 0; i < taken; i++)
        jvmpi->ResumeThread(samples[i].thread->env);
}

static void record(int taken)
{
    int i;

    totals.ticks++;
    for (i = 0; i < taken; i++) {
        if (!samples[i].ran)
            totals.idle++;
        else if (samples[i].stack.num_frames <= 0)
            totals.frameless++;
        else if (traces_record(&samples[i].stack) != NULL)
            samples[i].thread->samples++;
    }
}

static void sample_all(JNIEnv *self)
{
    jvmpi->DisableGC();
    jvmpi->RawMonitorEnter(data_lock);
    if (!stop && make_room(threads_live())) {
        int taken = suspend_and_look(self);

        resume(taken);
        record(taken);
    }
    jvmpi->RawMonitorExit(data_lock);
    jvmpi->EnableGC();
}

static void sampling_thread(void *unused)
{
    JNIEnv *self = NULL;
    int stopped = 0;

    (void)unused;
    (*java_vm)->GetEnv(java_vm, (void **)&self, JNI_VERSION_1_2);
    while (!stopped) {
        jvmpi->RawMonitorEnter(wake_up);
        if (!stop)
            jvmpi->RawMonitorWait(wake_up, settings.interval);
        stopped = stop;
        jvmpi->RawMonitorExit(wake_up);
        if (!stopped)
            sample_all(self);
    }
}

static void start_sampling(void)
{
    char name[] = "jvmpi sampler";

    jvmpi->RawMonitorEnter(data_lock);
    started = seconds();
    jvmpi->RawMonitorExit(data_lock);
    if (jvmpi->CreateSystemThread(name, JVMPI_MAXIMUM_PRIORITY, sampling_thread) != JNI_OK)
        fprintf(stderr, "jvmpi_sampler: the VM refused a thread; there will be no samples\n");
}

static void print_report(void)
{
    jvmpi->RawMonitorEnter(data_lock);
    totals.elapsed = started > 0 ? seconds() - started : 0;
    report(&settings);
    jvmpi->RawMonitorExit(data_lock);
}

static void finish(void)
{
    jvmpi->RawMonitorEnter(wake_up);
    jvmpi->RawMonitorEnter(data_lock);
    stop = 1;
    jvmpi->RawMonitorExit(data_lock);
    jvmpi->RawMonitorNotifyAll(wake_up);
    jvmpi->RawMonitorExit(wake_up);
    print_report();
}

static void update_tables(const JVMPI_Event *event)
{
    jvmpi->RawMonitorEnter(data_lock);
    switch (event->event_type) {
    case JVMPI_EVENT_CLASS_LOAD:
        classes_add(event);
        break;
    case JVMPI_EVENT_CLASS_UNLOAD:
        classes_remove(event->u.class_unload.class_id);
        break;
    case JVMPI_EVENT_THREAD_START:
        threads_add(event->u.thread_start.thread_env_id, event->u.thread_start.thread_name);
        break;
    case JVMPI_EVENT_THREAD_END:
        threads_remove(event->env_id);
        break;
    default:
        break;
    }
    jvmpi->RawMonitorExit(data_lock);
}

static void notify(JVMPI_Event *event)
{
    switch (event->event_type) {
    case JVMPI_EVENT_JVM_INIT_DONE:
        start_sampling();
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        finish();
        break;
    case JVMPI_EVENT_DATA_DUMP_REQUEST:
        print_report();
        break;
    case JVMPI_EVENT_GC_START:
        jvmpi->RawMonitorEnter(data_lock);
        break;
    case JVMPI_EVENT_GC_FINISH:
        totals.collections++;
        jvmpi->RawMonitorExit(data_lock);
        break;
    default:
        update_tables(event);
    }
}

static void set_number(int *setting, const struct option *option, long least)
{
    long number = option_number(option, *setting, least);

    *setting = number > 100000 ? 100000 : (int)number;
}

static void read_options(const char *options)
{
    struct option option;

    while (option_next(&options, &option)) {
        if (option_is(&option, "interval"))
            set_number(&settings.interval, &option, 1);
        else if (option_is(&option, "depth"))
            set_number(&settings.depth, &option, 1);
        else if (option_is(&option, "top"))
            set_number(&settings.top, &option, 0);
        else if (option_is(&option, "traces"))
            set_number(&settings.traces, &option, 0);
        else if (option_is(&option, "threads"))
            settings.threads = 1;
        else if (option_is(&option, "file"))
            option_open(&option, "jvmpi_sampler", &settings.fd);
        else
            fprintf(stderr, "jvmpi_sampler: unknown option %.*s\n", (int)option.key_len, option.key);
    }
}

static jint enable_all(void)
{
    static const jint events[] = {
        JVMPI_EVENT_CLASS_LOAD,    JVMPI_EVENT_CLASS_UNLOAD,  JVMPI_EVENT_THREAD_START,
        JVMPI_EVENT_THREAD_END,    JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_DATA_DUMP_REQUEST,
        JVMPI_EVENT_JVM_SHUT_DOWN, JVMPI_EVENT_GC_START,      JVMPI_EVENT_GC_FINISH,
    };
    size_t i;

    for (i = 0; i < sizeof events / sizeof events[0]; i++)
        if (jvmpi->EnableEvent(events[i], NULL) != JVMPI_SUCCESS)
            return JNI_ERR;
    return JNI_OK;
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    char wake_name[] = "_jvmpi_sampler wake";
    char data_name[] = "_jvmpi_sampler data";

    (void)reserved;
    java_vm = vm;
    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) != JNI_OK) {
        fprintf(stderr, "jvmpi_sampler: this VM has no JVMPI\n");
        return JNI_ERR;
    }
    read_options(options);
    jvmpi->NotifyEvent = notify;
    wake_up = jvmpi->RawMonitorCreate(wake_name);
    data_lock = jvmpi->RawMonitorCreate(data_name);
    return enable_all();
}

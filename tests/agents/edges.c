/* What is rare but happens: threads that are over before their creator looks, that
 * end by pthread_exit, that were attached before the VM was up; stacks deeper than
 * any buffer. */
#include "check.h"

#define QUICK 2000
#define ENOUGH 20

static int quick_starts, quick_ends, early_starts;
static JNIEnv *early_env, *main_env;
static volatile int stop, stopped;
static long traces, cut, deepest;

static void quick(void *argument)
{
}

/* The VM does not see such an end and posts none; it must only survive it. */
static void posix(void *argument)
{
    pthread_exit(NULL);
}

/* A thread of the agent's own, known to the VM before it can say so. */
static void *early(void *argument)
{
    void *env = NULL;
    JavaVMAttachArgs arguments = { JNI_VERSION_1_2, (char *)"early", NULL };

    if ((*vm)->AttachCurrentThreadAsDaemon(vm, &env, &arguments) == JNI_OK) {
        jvmpi->SetThreadLocalStorage(env, &early_env);
        early_env = env;
    }
    for (;;)
        sleep_ms(1000);
    return NULL;
}

static void sampler(void *argument)
{
    static JVMPI_CallFrame frames[2000];
    JVMPI_CallTrace trace = { main_env, 0, frames };

    while (!stop) {
        jvmpi->SuspendThread(main_env);
        jvmpi->ThreadHasRun(main_env);
        jvmpi->GetCallTrace(&trace, 2000);
        jvmpi->ResumeThread(main_env);
        if (trace.num_frames > 100) {
            cut += trace.num_frames < 600;
            /* The program goes on until it is there. */
            if (++traces == ENOUGH)
                close(open("enough", O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
        }
        if (trace.num_frames > deepest)
            deepest = trace.num_frames;
        sleep_ms(2);
    }
    stopped = 1;
}

static void on_load(const char *options)
{
    pthread_t thread;
    long began = 0;

    jvmpi->EnableEvent(JVMPI_EVENT_THREAD_START, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_THREAD_END, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_CLASS_LOAD, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_INIT_DONE, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_SHUT_DOWN, NULL);
    pthread_create(&thread, NULL, early, NULL);
    while (early_env == NULL && is_patient(&began))
        sleep_ms(1);
}

static int is_quick(JNIEnv *env)
{
    return jvmpi->GetThreadLocalStorage(env) == (void *)quick;
}

static void system_threads(void)
{
    long began = 0;
    int i;

    for (i = 0; i < QUICK; i++)
        jvmpi->CreateSystemThread((char *)"quick", JVMPI_NORMAL_PRIORITY, quick);
    jvmpi->CreateSystemThread((char *)"posix", JVMPI_NORMAL_PRIORITY, posix);
    while (quick_ends < QUICK && is_patient(&began))
        sleep_ms(1);
    expect("THREAD_STARTs of short system threads", quick_starts, QUICK);
    expect("THREAD_ENDs of short system threads", quick_ends, QUICK);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_THREAD_START) {
        const char *name = event->u.thread_start.thread_name;
        JNIEnv *env = event->u.thread_start.thread_env_id;

        if (strcmp(name, "quick") == 0) {
            __sync_fetch_and_add(&quick_starts, 1);
            jvmpi->SetThreadLocalStorage(env, (void *)quick);
        } else if (strcmp(name, "early") == 0) {
            early_starts++;
            expect("the early thread's env", (long)env, (long)early_env);
            expect("its local storage", (long)jvmpi->GetThreadLocalStorage(env), (long)&early_env);
        }
    } else if (type == JVMPI_EVENT_THREAD_END) {
        if (is_quick(event->env_id))
            __sync_fetch_and_add(&quick_ends, 1);
    } else if (type == JVMPI_EVENT_JVM_INIT_DONE) {
        expect("THREAD_STARTs of the early thread", early_starts, 1);
        verdict(jvmpi->GetThreadObject(early_env) != NULL, "the early thread's object", 0);
        system_threads();
        main_env = event->env_id;
        jvmpi->CreateSystemThread((char *)"sampler", JVMPI_MAXIMUM_PRIORITY, sampler);
    } else if (type == JVMPI_EVENT_JVM_SHUT_DOWN) {
        long began = 0;

        stop = 1;
        while (!stopped && is_patient(&began))
            sleep_ms(1);
        verdict(traces >= ENOUGH, "traces of the deep stack", traces);
        /* The stack grows and shrinks: now and then it is met on the way. */
        verdict(cut * 10 <= traces, "traces that were cut", cut);
        verdict(deepest > 600, "the deepest trace", deepest);
    }
}

static void check(JNIEnv *env, const char *what)
{
}

/* An agent that samples by SuspendThread and GetCallTrace, and uses SIGPROF besides, as samplers of the period did.
 *   takes   samples; then it has the signal for a handler of its own, and samples again; then it gives the signal back,
 *           whatever it was before, and samples again
 *   walks   calls AsyncGetCallTrace in its handler, without having called GetCallTrace before */
#include "check.h"
#include <dlfcn.h>
#include <signal.h>

enum { ROUNDS = 60, DEPTH = 32 };

static int walks;
static volatile sig_atomic_t foreign;
static void (*take_trace)(JVMPI_CallTrace *trace, jint depth, void *context);
static volatile int refused, walked;
static JNIEnv *main_env;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_THREAD_START, JVMPI_EVENT_CLASS_LOAD, 0 };

    walks = strcmp(options, "walks") == 0;
    enable_all(events);
}

static void count(int number)
{
    (void)number;
    foreign++;
}

static void sample(const char *when)
{
    JVMPI_CallFrame frames[DEPTH];
    JVMPI_CallTrace trace = { main_env, 0, frames };
    int i, good = 0;

    for (i = 0; i < ROUNDS; i++) {
        jvmpi->SuspendThread(main_env);
        jvmpi->GetCallTrace(&trace, DEPTH);
        good += trace.num_frames > 0;
        jvmpi->ResumeThread(main_env);
        sleep_ms(2);
    }
    verdict(good > ROUNDS / 2, when, good);
}

static void walk(int number, siginfo_t *info, void *context)
{
    static JVMPI_CallFrame frames[DEPTH];
    JVMPI_CallTrace trace = { main_env, 0, frames };

    (void)number;
    (void)info;
    take_trace(&trace, DEPTH, context);
    /* -1: no class load events. */
    refused += trace.num_frames == -1;
    walked += trace.num_frames > 0;
}

static pthread_t main_thread;

static void sampler(void *argument)
{
    struct sigaction action;
    long began = 0;

    (void)argument;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    if (walks) {
        *(void **)&take_trace = dlsym(RTLD_DEFAULT, "AsyncGetCallTrace");
        if (take_trace == NULL) {
            say("ok there is none");
        } else {
            action.sa_sigaction = walk;
            action.sa_flags = SA_SIGINFO | SA_RESTART;
            sigaction(SIGPROF, &action, NULL);
            while (walked < 20 && !refused && is_patient(&began)) {
                pthread_kill(main_thread, SIGPROF);
                sleep_ms(5);
            }
            expect("refused", refused, 0);
            verdict(walked > 0, "walked", walked);
        }
    } else {
        sample("before");
        action.sa_handler = count;
        action.sa_flags = SA_RESTART;
        sigaction(SIGPROF, &action, NULL);
        sample("with a handler of its own");
        expect("signals that nobody has sent", foreign, 0);
        signal(SIGPROF, SIG_DFL);
        sample("with none");
    }
    close(open("end", O_CREAT | O_WRONLY, 0666));
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_JVM_INIT_DONE) {
        main_thread = pthread_self();
        main_env = event->env_id;
        expect("CreateSystemThread", jvmpi->CreateSystemThread((char *)"sampler", JVMPI_NORMAL_PRIORITY, sampler), JNI_OK);
    }
}

static void check(JNIEnv *env, const char *what)
{
    (void)env;
    (void)what;
}

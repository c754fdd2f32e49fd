/* A thread is suspended inside its THREAD_END handler, or its THREAD_START
 * handler, and resumed after the handler has returned. */
#include "check.h"
#include "tasks.h"

static volatile int in_handler, suspended, returned;
static JNIEnv *victim;
static int at_end, victim_tid;

static void suspender(void *argument)
{
    int rests;

    while (!in_handler)
        sleep_ms(1);
    jvmpi->SuspendThread(victim);
    suspended = 1;
    while (!returned)
        sleep_ms(1);
    rests = task_rests(victim_tid, 0); /* it comes as far as it can */
    say("status %#x", (unsigned)jvmpi->GetThreadStatus(victim));
    /* Said before: the program may be over right after. */
    say(rests ? "resuming" : "FAIL the suspended thread does not come to rest");
    jvmpi->ResumeThread(victim);
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END, 0 };

    at_end = strcmp(options, "end") == 0;
    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_JVM_INIT_DONE)
        jvmpi->CreateSystemThread((char *)"suspender", JVMPI_NORMAL_PRIORITY, suspender);
    if (type == JVMPI_EVENT_THREAD_START && strcmp(event->u.thread_start.thread_name, "worker") == 0)
        victim = event->env_id;
    if (type != (at_end ? JVMPI_EVENT_THREAD_END : JVMPI_EVENT_THREAD_START) || event->env_id != victim || returned)
        return;
    victim_tid = (int)syscall(SYS_gettid);
    in_handler = 1;
    while (!suspended)
        sleep_ms(1);
    returned = 1;
}

static void check(JNIEnv *env, const char *what)
{
}

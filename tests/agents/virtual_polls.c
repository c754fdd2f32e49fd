/* A virtual thread that was there before THREAD_START was wanted, and waits in native code: a sampler's
 * rounds do not interrupt what it waits in. */
#include "check.h"

#include <errno.h>
#include <poll.h>

#define ROUNDS 300

static volatile int polls, interrupted, enough;
static JNIEnv *volatile polling;
/* Whose objects are made on this thread of the operating system's. */
static __thread JNIEnv *maker;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_OBJECT_ALLOC, 0 };

    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_OBJECT_ALLOC)
        maker = event->env_id;
}

static void wait_in_native_code(void)
{
    polling = maker;
    while (!enough) {
        if (poll(NULL, 0, 20) != 0 && errno == EINTR)
            interrupted++;
        polls++;
    }
}

/* Each question behind a pause begins a round. */
static void ask_for_a_while(void)
{
    JVMPI_CallFrame frames[4];
    JVMPI_CallTrace trace = { NULL, 0, frames };
    int i, running = 0;

    while (polling == NULL)
        sleep_ms(1);
    expect("THREAD_START", jvmpi->EnableEvent(JVMPI_EVENT_THREAD_START, NULL), JVMPI_SUCCESS);
    trace.env_id = polling;
    for (i = 0; i < ROUNDS; i++) {
        sleep_ms(1);
        running += jvmpi->GetThreadStatus(polling) > 0;
        jvmpi->GetCallTrace(&trace, 4);
    }
    enough = 1;
    expect("answers", running, ROUNDS);
    verdict(trace.num_frames > 0, "its stack", trace.num_frames);
}

static void check(JNIEnv *env, const char *what)
{
    if (strcmp(what, "polls") == 0)
        wait_in_native_code();
    if (strcmp(what, "ask") == 0)
        ask_for_a_while();
    if (strcmp(what, "report") == 0) {
        verdict(polls > 2, "it has waited", polls);
        expect("waits that were interrupted", interrupted, 0);
    }
}

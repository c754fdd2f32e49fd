/* A handler that takes long, and the bracket of a collection: none comes beside a handler that
 * is in the agent's own code. The options say what the handler of THREAD_START of thread "slow"
 * does:
 *     asked    it takes 1.8 s; RunGC meanwhile
 *     worker   it takes 2.5 s; the program collects meanwhile
 *     end      it takes 4 s; the VM ends meanwhile
 *     orders   it wants a raw monitor that the caller of RunGC has entered
 *     chain    it wants one whose owner waits for one that the caller of RunGC has entered
 *     nested   it calls RunGC, and so does another handler */
#include "check.h"

static char mode[20];
static JVMPI_RawMonitor outer, inner;
static volatile int in_handler, another, owned, brackets, beside;

static int is(const char *name)
{
    return strcmp(mode, name) == 0;
}

/* False if that takes too long. */
static int soon(volatile int *what)
{
    long until = now_ms() + 20000;

    while (!*what && now_ms() < until)
        sleep_ms(1);
    return *what;
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END, JVMPI_EVENT_OBJECT_ALLOC,
                                  JVMPI_EVENT_OBJECT_FREE, JVMPI_EVENT_GC_START, JVMPI_EVENT_GC_FINISH,
                                  JVMPI_EVENT_JVM_SHUT_DOWN, 0 };

    snprintf(mode, sizeof mode, "%s", options);
    outer = jvmpi->RawMonitorCreate((char *)"_outer");
    inner = jvmpi->RawMonitorCreate((char *)"_inner");
    enable_all(events);
}

static void take_long(void)
{
    in_handler = 1;
    if (is("orders") || is("chain")) {
        jvmpi->RawMonitorEnter(outer);
        jvmpi->RawMonitorExit(outer);
    } else if (is("nested")) {
        soon(&another);
        jvmpi->RunGC();
    } else {
        sleep_ms(is("asked") ? 1800 : is("worker") ? 2500 : 4000);
    }
    in_handler = 0;
}

static void on_event(JVMPI_Event *event, int type)
{
    switch (type) {
    case JVMPI_EVENT_THREAD_START:
        if (strcmp(event->u.thread_start.thread_name, "slow") == 0)
            take_long();
        if (strcmp(event->u.thread_start.thread_name, "another") == 0 && soon(&in_handler)) {
            another = 1;
            jvmpi->RunGC();
        }
        break;
    case JVMPI_EVENT_GC_START:
        beside += in_handler;
        break;
    case JVMPI_EVENT_GC_FINISH:
        brackets++;
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        if (is("end"))
            expect("brackets beside the handler at the VM's end", beside, 0);
        break;
    }
}

static void own_the_outer(void *nothing)
{
    jvmpi->RawMonitorEnter(outer);
    owned = 1;
    jvmpi->RawMonitorEnter(inner);
    jvmpi->RawMonitorExit(inner);
    jvmpi->RawMonitorExit(outer);
}

static void ask(void)
{
    int before = brackets;
    long began = now_ms();

    jvmpi->RunGC();
    verdict(now_ms() - began < 30000, "RunGC returns", now_ms() - began);
    verdict(brackets > before, "and has sent its bracket", brackets - before);
}

static void check(JNIEnv *env, const char *what)
{
    if (strcmp(what, "before") == 0) {
        if (is("orders"))
            jvmpi->RawMonitorEnter(outer);
        if (is("chain")) {
            jvmpi->RawMonitorEnter(inner);
            jvmpi->CreateSystemThread((char *)"owner", JVMPI_NORMAL_PRIORITY, own_the_outer);
            soon(&owned);
        }
    } else if (strcmp(what, "inside") == 0) {
        verdict(soon(&in_handler), "the handler", 0);
        if (is("asked")) {
            ask();
            expect("brackets beside the handler", beside, 0);
        } else if (is("orders")) {
            ask();
            jvmpi->RawMonitorExit(outer);
        } else if (is("chain")) {
            ask();
            jvmpi->RawMonitorExit(inner);
        }
    } else if (strcmp(what, "after") == 0) {
        if (is("worker") || is("nested"))
            verdict(soon(&brackets), "the bracket comes", 0);
        if (is("worker"))
            expect("brackets beside the handler", beside, 0);
    }
}

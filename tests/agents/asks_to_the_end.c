/* An agent whose thread asks for events until the handler of JVM_SHUT_DOWN has begun, while the last events before that,
 * of array classes that nothing has named, take their time; then in that handler, which waits for it. */
#include "check.h"

static JVMPI_RawMonitor lock;
static int stop, done;
static volatile int is_live, ends;
static long asked, failed, answered_beside_last, failed_since;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN, JVMPI_EVENT_THREAD_START,
                                  JVMPI_EVENT_CLASS_LOAD, 0 };

    (void)options;
    lock = jvmpi->RawMonitorCreate((char *)"asks to the end");
    enable_all(events);
}

static void asks(void *argument)
{
    int since, beside_last;
    jobjectID class = NULL;

    (void)argument;
    do {
        since = stop;
        beside_last = ends;
        class = class ? class : id_of_class("Plain");
        if (class == NULL) {
            sleep_ms(1);
            continue;
        }
        asked++;
        if (jvmpi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, class) != JVMPI_SUCCESS) {
            failed++;
            failed_since += since;
        } else if (beside_last && !since)
            answered_beside_last++;
    } while (!since);
    jvmpi->RawMonitorEnter(lock);
    done = 1;
    jvmpi->RawMonitorNotifyAll(lock);
    jvmpi->RawMonitorExit(lock);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (event->event_type & JVMPI_REQUESTED_EVENT)
        return;
    if (type == JVMPI_EVENT_JVM_INIT_DONE) {
        expect("CreateSystemThread", jvmpi->CreateSystemThread((char *)"asks", JVMPI_NORMAL_PRIORITY, asks), JNI_OK);
        is_live = 1;
    } else if (type == JVMPI_EVENT_CLASS_LOAD && is_live && event->u.class_load.class_name[0] == '[') {
        ends = 1;
        sleep_ms(20);
    } else if (type == JVMPI_EVENT_JVM_SHUT_DOWN) {
        long began = 0;

        jvmpi->RawMonitorEnter(lock);
        stop = 1;
        while (!done && is_patient(&began))
            jvmpi->RawMonitorWait(lock, 20);
        jvmpi->RawMonitorExit(lock);
        expect("it has ended", done, 1);
        verdict(ends, "array classes came last", ends);
        verdict(asked > 1, "asked for", asked);
        verdict(answered_beside_last > 0, "answered beside the last CLASS_LOADs", answered_beside_last);
        /* What is being asked for when the handler begins. */
        verdict(failed <= 1, "failed once at most", failed);
        expect("failed since", failed_since, 0);
    }
}

static void check(JNIEnv *env, const char *what)
{
    (void)env;
    (void)what;
}

/* An agent that ends a thread of its own, which the VM does not know, by pthread_cancel, wherever it is. */
#include "check.h"

enum { THREADS = 8 };

static pthread_t all[THREADS];

static void *switches(void *argument)
{
    (void)argument;
    for (;;) {
        jvmpi->EnableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL);
        jvmpi->DisableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL);
        pthread_testcancel();
    }
    return NULL;
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN, 0 };

    (void)options;
    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
    int i;

    if (type == JVMPI_EVENT_JVM_INIT_DONE) {
        for (i = 0; i < THREADS; i++)
            expect("pthread_create", pthread_create(&all[i], NULL, switches, NULL), 0);
    } else if (type == JVMPI_EVENT_JVM_SHUT_DOWN) {
        for (i = 0; i < THREADS; i++) {
            struct timespec end;

            sleep_ms(7);
            pthread_cancel(all[i]);
            clock_gettime(CLOCK_REALTIME, &end);
            end.tv_sec += 20;
            expect("joined", pthread_timedjoin_np(all[i], NULL, &end), 0);
        }
    }
}

static void check(JNIEnv *env, const char *what)
{
    (void)env;
    (void)what;
}

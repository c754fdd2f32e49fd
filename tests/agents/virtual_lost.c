/* Virtual threads that are parked for ever: whether they die; and others that come to their ends, which do. */
#include "check.h"

#define MANY 5000

static jobjectID lost[MANY];
static jobjectID ended[MANY];
static int known, freed, ends, freed_ends;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_THREAD_START, JVMPI_EVENT_OBJECT_FREE, 0 };

    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
    int i;

    pthread_mutex_lock(&mutex);
    if (type == JVMPI_EVENT_THREAD_START) {
        const char *name = event->u.thread_start.thread_name;

        if (known < MANY && strcmp(name, "lost") == 0)
            lost[known++] = event->u.thread_start.thread_id;
        if (ends < MANY && strcmp(name, "ends") == 0)
            ended[ends++] = event->u.thread_start.thread_id;
    }
    for (i = 0; type == JVMPI_EVENT_OBJECT_FREE && i < MANY; i++) {
        freed += i < known && lost[i] == event->u.obj_free.obj_id;
        freed_ends += i < ends && ended[i] == event->u.obj_free.obj_id;
    }
    pthread_mutex_unlock(&mutex);
}

static void check(JNIEnv *env, const char *what)
{
    int tries;

    for (tries = 0; tries < 20 && freed_ends < ends - 10; tries++)
        jvmpi->RunGC();
    verdict(ends > 0 && freed_ends >= ends - 10, "threads that have ended die", freed_ends);
    expect("threads that are parked", known, MANY);
    expect("those that have died", freed, 0);
}

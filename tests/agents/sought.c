/* Monitors are named by the ids that their objects were born with, and these die once: objects of each of
 * some classes, born before the first of the class was a monitor and after it. */
#include "check.h"

#include <stdatomic.h>

enum { MOST = 20000 };

static struct {
    jobjectID id;
    int freed;
} births[MOST];
static atomic_int born, freed;
static pthread_mutex_t births_mutex = PTHREAD_MUTEX_INITIALIZER;
/* The last object of the program's own classes, by the thread that makes them all. */
static __thread jobjectID last;
static atomic_int met;
static jobjectID monitor;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_THREAD_START, JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_OBJECT_ALLOC,
                                  JVMPI_EVENT_OBJECT_FREE, JVMPI_EVENT_MONITOR_CONTENDED_ENTER, 0 };

    enable_all(events);
}

static int is_ours(jobjectID class)
{
    int i, found = 0;

    pthread_mutex_lock(&names_mutex);
    for (i = 0; i < known_class_count && !found; i++)
        found = known_classes[i].id == class && strncmp(known_classes[i].name, "Sought$Of", 9) == 0;
    pthread_mutex_unlock(&names_mutex);
    return found;
}

static int find(jobjectID id)
{
    int i, found = -1;

    for (i = 0; i < born && found < 0; i++)
        if (births[i].id == id && !births[i].freed)
            found = i;
    return found;
}

static void on_event(JVMPI_Event *event, int type)
{
    int i;

    if (type == JVMPI_EVENT_OBJECT_ALLOC && is_ours(event->u.obj_alloc.class_id))
        last = event->u.obj_alloc.obj_id;
    if (type == JVMPI_EVENT_OBJECT_FREE) {
        pthread_mutex_lock(&births_mutex);
        i = find(event->u.obj_free.obj_id);
        if (i >= 0) {
            births[i].freed = 1;
            freed++;
        }
        pthread_mutex_unlock(&births_mutex);
    }
    if (type == JVMPI_EVENT_MONITOR_CONTENDED_ENTER) {
        pthread_mutex_lock(&births_mutex);
        i = find(event->u.monitor.object);
        if (i >= 0) {
            monitor = event->u.monitor.object;
            met++;
        }
        pthread_mutex_unlock(&births_mutex);
    }
}

/* "born", "contended N": by somebody else, who waits; "dead". */
static void check(JNIEnv *env, const char *what)
{
    static int seen;
    int number = 0;
    long until = now_ms() + 20000;

    if (strcmp(what, "born") == 0) {
        pthread_mutex_lock(&births_mutex);
        births[born].id = last;
        born++;
        pthread_mutex_unlock(&births_mutex);
        if (!last)
            say("FAIL an object was born without an event");
        last = NULL;
    } else if (sscanf(what, "contended %d", &number) == 1) {
        while (met == seen && now_ms() < until)
            sleep_ms(1);
        seen = met;
        if (monitor != births[number].id)
            expect(what, (long)monitor, (long)births[number].id);
        monitor = NULL;
    } else {
        expect("monitors", seen, atoi(what));
        while (freed < born && now_ms() < until)
            sleep_ms(10);
        expect("deaths", freed, born);
    }
}

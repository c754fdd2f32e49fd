/* Monitors are named by the ids that their objects were born with, and these die once, or once more when
 * another object has got the id: objects of each of some classes, born before the first of the class was a monitor and
 * after it. */
#include "check.h"

#include <stdatomic.h>

enum { MOST = 20000 };

static struct {
    jobjectID id;
    /* Whose it is: its own, nobody's, or that of another object which has got the id after its death. */
    enum { OWN, NOBODYS, ANOTHERS } whose;
} births[MOST];
static atomic_int born, freed;
static int again;
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

static int find(jobjectID id, int whose)
{
    int i, found = -1;

    for (i = 0; i < born && found < 0; i++)
        if (births[i].id == id && (int)births[i].whose == whose)
            found = i;
    return found;
}

static void dies(jobjectID id)
{
    int i;

    pthread_mutex_lock(&births_mutex);
    i = find(id, OWN);
    if (i >= 0)
        freed++;
    else
        i = find(id, ANOTHERS);
    if (i >= 0)
        births[i].whose = NOBODYS;
    else if (find(id, NOBODYS) >= 0 && again++ < 3)
        say("FAIL %p dies once more", (void *)id);
    pthread_mutex_unlock(&births_mutex);
}

static void on_event(JVMPI_Event *event, int type)
{
    int i;

    if (type == JVMPI_EVENT_OBJECT_ALLOC && is_ours(event->u.obj_alloc.class_id))
        last = event->u.obj_alloc.obj_id;
    if (type == JVMPI_EVENT_OBJECT_ALLOC && freed > 0) {
        pthread_mutex_lock(&births_mutex);
        i = find(event->u.obj_alloc.obj_id, NOBODYS);
        if (i >= 0)
            births[i].whose = ANOTHERS;
        pthread_mutex_unlock(&births_mutex);
    }
    if (type == JVMPI_EVENT_OBJECT_FREE)
        dies(event->u.obj_free.obj_id);
    if (type == JVMPI_EVENT_MONITOR_CONTENDED_ENTER) {
        pthread_mutex_lock(&births_mutex);
        i = find(event->u.monitor.object, OWN);
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
    long began = 0;

    if (strcmp(what, "born") == 0) {
        pthread_mutex_lock(&births_mutex);
        births[born].id = last;
        born++;
        pthread_mutex_unlock(&births_mutex);
        if (!last)
            say("FAIL an object was born without an event");
        last = NULL;
    } else if (sscanf(what, "contended %d", &number) == 1) {
        while (met == seen && is_patient(&began))
            sleep_ms(1);
        seen = met;
        if (monitor != births[number].id)
            expect(what, (long)monitor, (long)births[number].id);
        monitor = NULL;
    } else {
        expect("monitors", seen, atoi(what));
        while (freed < born && is_patient(&began))
            sleep_ms(10);
        expect("deaths", freed, born);
    }
}

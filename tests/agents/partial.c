/* Profiles a part of a run: OBJECT_ALLOC is enabled when a file `enable1` or
 * `enable2` appears, disabled for `disable1`, `disable2`; each is answered with a
 * file `enabled1` ... when the call has returned. Nothing is known of any class
 * before: each is asked for when an object of it is met. At the end one line for
 * each class of PartialAlloc: `PHASE name allocs=N frees=N`. */
#include "live.h"
#include "tasks.h"

#define MAX_CLASSES 8192

static struct class {
    jobjectID id;
    char name[100];
    long allocs, frees;
} classes[MAX_CLASSES];
static int class_count;
static pthread_mutex_t class_mutex = PTHREAD_MUTEX_INITIALIZER;

static __thread char asked[100];
static volatile int ending;
static long all_allocs, all_frees, unknown_frees, twice, nameless, while_off;
static volatile int on;

static int class_known(jobjectID id)
{
    int i;

    /* The newest of an id: they are used again. */
    for (i = class_count - 1; i >= 0; i--)
        if (classes[i].id == id)
            return i;
    return -1;
}

/* The number of a class; asks for it if it is not known. */
static int class_number(jobjectID id)
{
    int number;

    pthread_mutex_lock(&class_mutex);
    number = class_known(id);
    pthread_mutex_unlock(&class_mutex);
    if (number >= 0)
        return number;
    asked[0] = 0;
    if (jvmpi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, id) != JVMPI_SUCCESS || asked[0] == 0) {
        __atomic_add_fetch(&nameless, 1, __ATOMIC_RELAXED);
        return -1;
    }
    pthread_mutex_lock(&class_mutex);
    number = class_known(id);
    if (number < 0 && class_count < MAX_CLASSES) {
        number = class_count++;
        classes[number].id = id;
        snprintf(classes[number].name, sizeof classes[number].name, "%s", asked);
    }
    pthread_mutex_unlock(&class_mutex);
    return number;
}

static int exists(const char *word, int round)
{
    char name[40];

    snprintf(name, sizeof name, "%s%d", word, round);
    return access(name, F_OK) == 0;
}

static void answer(const char *word, int round)
{
    char name[40];
    int file;

    snprintf(name, sizeof name, "%s%d", word, round);
    file = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
        say("FAIL %s cannot be made", name);
    else
        close(file);
}

static void switcher(void *nothing)
{
    int round;

    if (jvmpi->EnableEvent(JVMPI_EVENT_OBJECT_FREE, NULL) != JVMPI_SUCCESS)
        say("FAIL EnableEvent(OBJECT_FREE)");
    for (round = 1; round <= 2; round++) {
        while (!ending && !exists("enable", round))
            sleep_ms(3);
        if (ending)
            break;
        on = 1;
        expect("EnableEvent(OBJECT_ALLOC)", jvmpi->EnableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL), JVMPI_SUCCESS);
        answer("enabled", round);
        while (!ending && !exists("disable", round))
            sleep_ms(3);
        if (ending)
            break;
        expect("DisableEvent(OBJECT_ALLOC)", jvmpi->DisableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL), JVMPI_SUCCESS);
        expect("events that were being sent are over", all_tasks_have_gone_on(), 1);
        on = 0;
        answer("disabled", round);
    }
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN, 0 };

    enable_all(events);
}

static void report(void)
{
    int i;

    for (i = 0; i < class_count; i++)
        if (strncmp(classes[i].name, "PartialAlloc$Phase", 18) == 0)
            say("PHASE %s allocs=%ld frees=%ld", classes[i].name, classes[i].allocs, classes[i].frees);
    say("ALL allocs=%ld frees=%ld unknown_frees=%ld", all_allocs, all_frees, unknown_frees);
    expect("OBJECT_ALLOC of a live id", twice, 0);
    expect("OBJECT_ALLOC after DisableEvent", while_off, 0);
    expect("classes that could not be asked for", nameless, 0);
}

static void on_event(JVMPI_Event *event, int type)
{
    struct live object = { 0 };

    switch (type) {
    case JVMPI_EVENT_CLASS_LOAD:
        snprintf(asked, sizeof asked, "%s", event->u.class_load.class_name);
        break;
    case JVMPI_EVENT_JVM_INIT_DONE:
        expect("CreateSystemThread", jvmpi->CreateSystemThread("partial-switch", JVMPI_NORMAL_PRIORITY, switcher), JNI_OK);
        break;
    case JVMPI_EVENT_OBJECT_ALLOC:
        __atomic_add_fetch(&all_allocs, 1, __ATOMIC_RELAXED);
        if (!on)
            __atomic_add_fetch(&while_off, 1, __ATOMIC_RELAXED);
        object.id = event->u.obj_alloc.obj_id;
        object.class_id = event->u.obj_alloc.class_id;
        object.is_array = event->u.obj_alloc.is_array;
        object.number = -1;
        if (object.class_id != NULL && object.is_array == JVMPI_NORMAL_OBJECT)
            object.number = class_number(object.class_id);
        if (!live_put(&object))
            __atomic_add_fetch(&twice, 1, __ATOMIC_RELAXED);
        if (object.number >= 0)
            __atomic_add_fetch(&classes[object.number].allocs, 1, __ATOMIC_RELAXED);
        break;
    case JVMPI_EVENT_OBJECT_FREE:
        __atomic_add_fetch(&all_frees, 1, __ATOMIC_RELAXED);
        if (!live_remove(event->u.obj_free.obj_id, &object))
            __atomic_add_fetch(&unknown_frees, 1, __ATOMIC_RELAXED);
        else if (object.number >= 0)
            __atomic_add_fetch(&classes[object.number].frees, 1, __ATOMIC_RELAXED);
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        ending = 1;
        report();
        break;
    }
}

static void check(JNIEnv *env, const char *what)
{
}

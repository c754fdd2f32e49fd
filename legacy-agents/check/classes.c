/* Classes and the methods they define (R7, R8, R9). */
#include "classes.h"
#include "check.h"
#include "class_names.h"
#include "objects.h"
#include "phase.h"
#include "registry.h"
#include "requests.h"
#include "rules.h"
#include "settings.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

static struct registry classes = { PTHREAD_MUTEX_INITIALIZER, NULL, 0 };
static struct registry methods = { PTHREAD_MUTEX_INITIALIZER, NULL, 0 };
static struct class_info *all;
/* Guards births and the chains of methods. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long live;

static int state_of(const int *state)
{
    return __atomic_load_n(state, __ATOMIC_ACQUIRE);
}

static void set_state(int *state, int value)
{
    __atomic_store_n(state, value, __ATOMIC_RELEASE);
}

struct class_info *class_find(jobjectID id)
{
    return registry_find(&classes, id);
}

static const char *name_of(const struct class_info *class)
{
    return class->name != NULL ? class->name : "?";
}

struct class_info *classes_all(void)
{
    return __atomic_load_n(&all, __ATOMIC_ACQUIRE);
}

long classes_live(void)
{
    return get(&live);
}

/* With the mutex locked; NULL if out of memory. */
static struct class_info *class_add(jobjectID id, int state)
{
    struct class_info *class = calloc(1, sizeof *class);

    if (class == NULL)
        return NULL;
    class->id = id;
    class->state = state;
    if (!registry_put(&classes, id, class)) {
        free(class);
        return NULL;
    }
    class->next = all;
    __atomic_store_n(&all, class, __ATOMIC_RELEASE);
    return class;
}

static struct class_info *promise_class(jobjectID id)
{
    struct class_info *class;

    mutex_take(&mutex);
    class = class_find(id);
    if (class == NULL || state_of(&class->state) == DEAD)
        class = class_add(id, PROMISED);
    pthread_mutex_unlock(&mutex);
    return class;
}

/* Behind JVM_SHUT_DOWN all events are disabled, and threads of the VM's go on loading classes: those are asked for. */
struct class_info *class_newer(jobjectID id)
{
    return ended() && request(JVMPI_EVENT_CLASS_LOAD, id) ? class_find(id) : NULL;
}

struct class_info *class_named(jobjectID id, const char *what)
{
    struct class_info *class = class_find(id);
    int state = class != NULL ? state_of(&class->state) : 0;

    if (id == NULL || state == LIVE || state == PROMISED || !on(JVMPI_EVENT_CLASS_LOAD))
        return class;
    if (early())
        return promise_class(id);
    if (class == NULL && (class = class_newer(id)) != NULL)
        return class;
    if (state == DEAD)
        violation(R9, "%s %p is unloaded", what, (void *)id);
    else
        violation(R7, "%s %p never had a CLASS_LOAD", what, (void *)id);
    return class;
}

/* ---- methods ---- */

/* With the mutex locked. */
static struct method *method_add(jmethodID id)
{
    struct method *method = calloc(1, sizeof *method);

    if (method == NULL)
        return NULL;
    method->id = id;
    if (registry_put(&methods, id, method))
        return method;
    free(method);
    return NULL;
}

static void promise_method(jmethodID id)
{
    struct method *method;

    mutex_take(&mutex);
    method = registry_find(&methods, id);
    if (method == NULL)
        method = method_add(id);
    if (method != NULL && method->state != LIVE)
        set_state(&method->state, PROMISED);
    pthread_mutex_unlock(&mutex);
}

struct method *method_named(jmethodID id, const char *what)
{
    struct method *method = registry_find(&methods, id);
    int state = method != NULL ? state_of(&method->state) : 0;

    if (state == LIVE || !on(JVMPI_EVENT_CLASS_LOAD))
        return method;
    if (early() && id != NULL)
        promise_method(id);
    else if (state == DEAD)
        violation(R9, "method %p, %s, is of an unloaded class", (void *)id, what);
    else if (state != PROMISED)
        violation(R8, "method %p, %s, is of no class that had a CLASS_LOAD", (void *)id, what);
    return method;
}

/* With the mutex locked. The class that had the id before, if it is alive. */
static struct class_info *define_method(struct class_info *class, jmethodID id)
{
    struct method *method = registry_find(&methods, id);
    struct class_info *before = NULL;

    if (method == NULL)
        method = method_add(id);
    if (method == NULL)
        return NULL;
    if (method->state == LIVE)
        before = method->owner;
    /* If it still hangs in another class's chain, that class is dead, and its
     * chain will not be walked again. */
    method->owner = class;
    method->compiled = 0;
    method->next = class->methods;
    class->methods = method;
    set_state(&method->state, LIVE);
    return before;
}

static void define_methods(struct class_info *class, const JVMPI_Event *event)
{
    jint i;

    for (i = 0; i < event->u.class_load.num_methods; i++) {
        jmethodID id = event->u.class_load.methods[i].method_id;
        struct class_info *before = NULL;

        if (id == NULL) {
            violation(R8, "a method of %s without an id", name_of(class));
            continue;
        }
        mutex_take(&mutex);
        before = define_method(class, id);
        pthread_mutex_unlock(&mutex);
        if (before != NULL && on(JVMPI_EVENT_CLASS_UNLOAD))
            violation(R8, "method %p of %s is also that of %s", (void *)id, name_of(class), name_of(before));
    }
}

/* ---- loading ---- */

static void compare(const JVMPI_Event *event, const struct class_info *class)
{
    char *name = class_name(event->u.class_load.class_name);

    if (name != NULL && class->name != NULL && strcmp(name, class->name) != 0)
        violation(R16, "class %p is now %s, at its CLASS_LOAD it was %s", (void *)class->id, name, class->name);
    if (class->num_methods != event->u.class_load.num_methods)
        violation(R16, "class %s has now %d methods, at its CLASS_LOAD it had %d", name_of(class),
                  (int)event->u.class_load.num_methods, (int)class->num_methods);
    free(name);
}

/* The first letters of signatures. */
static char *letters(const JVMPI_Field *fields, jint count)
{
    char *text = settings.heap && count > 0 ? malloc((size_t)count + 1) : NULL;
    jint i;

    if (text == NULL)
        return NULL;
    for (i = 0; i < count; i++)
        text[i] = fields[i].field_signature[0];
    text[count] = '\0';
    return text;
}

static int is_chosen(const char *name)
{
    return settings.classes != NULL && strncmp(name, settings.classes, strlen(settings.classes)) == 0;
}

/* Makes the class live; NULL if out of memory. */
static struct class_info *define(const JVMPI_Event *event)
{
    jobjectID id = event->u.class_load.class_id;
    struct class_info *class;

    mutex_take(&mutex);
    class = class_find(id);
    if (class == NULL || state_of(&class->state) != PROMISED)
        class = class_add(id, PROMISED);
    if (class != NULL) {
        class->name = class_name(event->u.class_load.class_name);
        class->num_methods = event->u.class_load.num_methods;
        class->num_interfaces = event->u.class_load.num_interfaces;
        class->statics = letters(event->u.class_load.statics, event->u.class_load.num_static_fields);
        class->fields = letters(event->u.class_load.instances, event->u.class_load.num_instance_fields);
        class->chosen = class->name != NULL && is_chosen(class->name);
        set_state(&class->state, LIVE);
    }
    pthread_mutex_unlock(&mutex);
    return class;
}

void class_load(const JVMPI_Event *event, int requested)
{
    jobjectID id = event->u.class_load.class_id;
    struct class_info *class = class_find(id);
    int loaded = class != NULL && state_of(&class->state) == LIVE;

    if (id == NULL || (uintptr_t)id % 16 != 0)
        violation(R21, "%p is no id of a class", (void *)id);
    if (id == NULL)
        return;
    if (requested && loaded) {
        compare(event, class);
        return;
    }
    if (loaded && on(JVMPI_EVENT_CLASS_UNLOAD))
        violation(R9, "CLASS_LOAD of %s, id %p, which is loaded already", name_of(class), (void *)id);
    class = define(event);
    if (class == NULL)
        return;
    if (!loaded)
        add(&live, 1);
    define_methods(class, event);
    object_is_class(id);
    if (strcmp(name_of(class), "java.lang.Class") == 0)
        object_is_class_of_classes(id);
}

/* 1 if it was alive. */
static int kill_class(struct class_info *class)
{
    struct method *method;
    int was_live;

    mutex_take(&mutex);
    was_live = state_of(&class->state) == LIVE;
    set_state(&class->state, DEAD);
    for (method = class->methods; was_live && method != NULL; method = method->next)
        if (method->owner == class)
            set_state(&method->state, DEAD);
    pthread_mutex_unlock(&mutex);
    if (was_live)
        add(&live, -1);
    return was_live;
}

void class_unload(const JVMPI_Event *event)
{
    jobjectID id = event->u.class_unload.class_id;
    struct class_info *class = class_find(id);

    if ((class == NULL || !kill_class(class)) && on(JVMPI_EVENT_CLASS_LOAD))
        violation(R9, class == NULL ? "class %p was never loaded" : "class %p is not loaded", (void *)id);
    object_was_class(id);
}

void class_dies(jobjectID id)
{
    struct class_info *class = class_find(id);

    if (class != NULL)
        kill_class(class);
}

void class_moved(jobjectID from, jobjectID to)
{
    struct class_info *class = class_find(from);

    if (class == NULL || from == to)
        return;
    mutex_take(&mutex);
    class->id = to;
    registry_put(&classes, to, class);
    registry_put(&classes, from, NULL);
    pthread_mutex_unlock(&mutex);
}

static void check_defined(void *value, void *unused)
{
    struct method *method = value;

    (void)unused;
    if (state_of(&method->state) == PROMISED)
        violation(R8, "method %p was named and is until JVM_INIT_DONE of no class that had a CLASS_LOAD",
                  (void *)method->id);
}

void classes_init_done(void)
{
    struct class_info *class;

    for (class = classes_all(); class != NULL; class = class->next)
        if (state_of(&class->state) == PROMISED)
            violation(R7, "class %p was named and has had no CLASS_LOAD until JVM_INIT_DONE", (void *)class->id);
    registry_each(&methods, check_defined, NULL);
}

/* Which JNIEnvs are alive (R15, R17, R20), and whether the VM keeps what is
 * stored with them (R24). */
#include "threads.h"
#include "check.h"
#include "methods.h"
#include "monitors.h"
#include "objects.h"
#include "phase.h"
#include "registry.h"
#include "rules.h"
#include "settings.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

static struct registry threads = { PTHREAD_MUTEX_INITIALIZER, NULL, 0 };
static long virtual_ones;
static pthread_mutex_t births = PTHREAD_MUTEX_INITIALIZER;

static int state_of(const struct thread *thread)
{
    return __atomic_load_n(&thread->state, __ATOMIC_ACQUIRE);
}

static void set_state(struct thread *thread, int state)
{
    __atomic_store_n(&thread->state, state, __ATOMIC_RELEASE);
}

static struct thread *thread_find(JNIEnv *env)
{
    return registry_find(&threads, env);
}

struct thread *thread_live(JNIEnv *env)
{
    struct thread *thread = thread_find(env);

    return thread != NULL && state_of(thread) == THREAD_LIVE ? thread : NULL;
}

/* NULL only if out of memory. */
static struct thread *thread_of(JNIEnv *env)
{
    struct thread *thread = thread_find(env);

    if (thread != NULL)
        return thread;
    mutex_take(&births);
    thread = thread_find(env);
    if (thread == NULL) {
        thread = calloc(1, sizeof *thread);
        if (thread != NULL) {
            thread->env = env;
            thread->early = early();
            if (!registry_put(&threads, env, thread)) {
                free(thread);
                thread = NULL;
            }
        }
    }
    pthread_mutex_unlock(&births);
    return thread;
}

static int is_bracket_end(int type)
{
    return type == JVMPI_EVENT_GC_START || type == JVMPI_EVENT_GC_FINISH;
}

/* Its own THREAD_START makes the env known, nothing comes before it. */
static int introduces_itself(const JVMPI_Event *event)
{
    return type_of(event) == JVMPI_EVENT_THREAD_START && !is_requested(event) &&
           event->u.thread_start.thread_env_id == event->env_id;
}

static void complain(const JVMPI_Event *event, int state)
{
    int type = type_of(event);

    if (state == THREAD_ENDED)
        violation(R15, "after the THREAD_END of this env");
    else if (is_bracket_end(type))
        violation(R17, "on an env that never had a THREAD_START");
    else if (type == JVMPI_EVENT_THREAD_END)
        violation(R20, "of a thread that never had a THREAD_START");
    else
        violation(R15, "on an env that never had a THREAD_START");
}

/* The object of a thread that attached itself can be announced by that thread
 * only, so after its THREAD_START; but then as the next thing. */
static void check_owed(struct thread *thread, int type)
{
    jobjectID owed = thread->owed;

    if (owed == NULL || type == JVMPI_EVENT_OBJECT_ALLOC || type == JVMPI_EVENT_CLASS_LOAD ||
        type == JVMPI_EVENT_CLASS_LOAD_HOOK || type == JVMPI_EVENT_THREAD_START)
        return;
    thread->owed = NULL;
    if (object_known(owed))
        object_named(owed, "the thread's object", 1);
    else if (objects_complete())
        violation(R7, "the thread's object %p has not been announced", (void *)owed);
}

static void check_storage(struct thread *thread)
{
    void *stored = jvmpi->GetThreadLocalStorage(thread->env);

    if (stored != thread)
        violation(R24, "thread local storage is %p, %p was stored", stored, (void *)thread);
}

void thread_admit(const JVMPI_Event *event)
{
    int type = type_of(event);
    struct thread *thread;
    int state;

    if (event->env_id == NULL) {
        violation(is_bracket_end(type) ? R17 : R15, "without an env");
        return;
    }
    if (introduces_itself(event))
        return;
    thread = thread_of(event->env_id);
    here.thread = thread;
    if (thread == NULL || !on(JVMPI_EVENT_THREAD_START))
        return;
    state = state_of(thread);
    if (state == THREAD_LIVE) {
        check_storage(thread);
        if (!is_requested(event))
            check_owed(thread, type);
    } else if (state == THREAD_NEW && early() && on_main_thread() && !is_bracket_end(type)) {
        thread->to_be_started = 1;
    } else if (type != JVMPI_EVENT_CLASS_LOAD_HOOK) {
        /* A class's bytes cannot wait until the thread that loads it has been attached. */
        complain(event, state);
    }
}

static void set_name(struct thread *thread, const char *name)
{
    size_t length = name != NULL ? strlen(name) : 0;

    if (length >= sizeof thread->name)
        length = sizeof thread->name - 1;
    memcpy(thread->name, name != NULL ? name : "", length);
    thread->name[length] = '\0';
}

static void check_sender(const JVMPI_Event *event)
{
    if (event->env_id != event->u.thread_start.thread_env_id && !early())
        violation(R15, "THREAD_START of env %p by another thread, neither requested nor replayed",
                  (void *)event->u.thread_start.thread_env_id);
}

/* What the VM keeps for the thread has to be NULL at first and stay what it is
 * made. It is left there at the end: an env may be that of a later thread. */
static void try_storage(struct thread *thread)
{
    void *stored = jvmpi->GetThreadLocalStorage(thread->env);

    if (stored != NULL)
        violation(R24, "thread local storage of the new thread \"%s\" is %p, not NULL", thread->name, stored);
    jvmpi->SetThreadLocalStorage(thread->env, thread);
    stored = jvmpi->GetThreadLocalStorage(thread->env);
    if (stored != thread)
        violation(R24, "thread local storage is %p, %p was just stored", stored, (void *)thread);
}

static void meet_object(struct thread *thread, const JVMPI_Event *event)
{
    jobjectID object = event->u.thread_start.thread_id;

    if (object == NULL)
        violation(R7, "THREAD_START without the thread's object");
    else if (!early() && event->env_id == thread->env && !object_known(object))
        thread->owed = object;
    else
        object_named(object, "the thread's object", 1);
}

static void compare(const JVMPI_Event *event)
{
    const struct thread *thread = thread_live(event->u.thread_start.thread_env_id);

    if (thread != NULL && thread->object != event->u.thread_start.thread_id)
        violation(R16, "the object of env %p is %p, at its start it was %p", (void *)thread->env,
                  (void *)event->u.thread_start.thread_id, (void *)thread->object);
}

/* They have no group of their own, java.lang.Thread says this one, which is in `system`. */
static int is_virtual(const char *group, const char *parent)
{
    return group != NULL && strcmp(group, "VirtualThreads") == 0 && parent != NULL && strcmp(parent, "system") == 0;
}

static void begin(struct thread *thread, const JVMPI_Event *event)
{
    if (state_of(thread) == THREAD_LIVE && on(JVMPI_EVENT_THREAD_END))
        violation(R15, "THREAD_START of env %p, which belongs to the live thread \"%s\"", (void *)thread->env, thread->name);
    set_name(thread, event->u.thread_start.thread_name);
    thread->is_virtual = is_virtual(event->u.thread_start.group_name, event->u.thread_start.parent_name);
    add(&virtual_ones, thread->is_virtual);
    thread->early = early();
    thread->owed = NULL;
    thread->contended[0] = 0;
    thread->contended[1] = 0;
    thread->waiting = 0;
    thread->wait_object = NULL;
    thread->object = event->u.thread_start.thread_id;
    method_stack_begin(thread);
    try_storage(thread);
    set_state(thread, THREAD_LIVE);
    meet_object(thread, event);
}

void thread_start(const JVMPI_Event *event)
{
    struct thread *thread;

    if (is_requested(event)) {
        compare(event);
        return;
    }
    if (event->u.thread_start.thread_env_id == NULL) {
        violation(R15, "THREAD_START without the thread's env");
        return;
    }
    check_sender(event);
    thread = thread_of(event->u.thread_start.thread_env_id);
    if (thread == NULL)
        return;
    if (introduces_itself(event))
        here.thread = thread;
    begin(thread, event);
}

void thread_end(const JVMPI_Event *event)
{
    struct thread *thread = here.thread;

    (void)event;
    if (thread == NULL || state_of(thread) != THREAD_LIVE)
        return;
    monitors_end(thread);
    method_stack_end(thread);
    set_state(thread, THREAD_ENDED);
}

static void count_live(void *value, void *argument)
{
    *(int *)argument += state_of(value) == THREAD_LIVE;
}

int threads_live(void)
{
    int count = 0;

    registry_each(&threads, count_live, &count);
    return count;
}

long threads_virtual(void)
{
    return get(&virtual_ones);
}

struct picking {
    const JNIEnv *self;
    int skip;
    struct thread **found;
    int room;
    int count;
};

static void pick(void *value, void *argument)
{
    struct thread *thread = value;
    struct picking *picking = argument;

    if (state_of(thread) != THREAD_LIVE || thread->env == picking->self || picking->count == picking->room)
        return;
    if (picking->skip > 0)
        picking->skip--;
    else
        picking->found[picking->count++] = thread;
}

int threads_pick(const JNIEnv *self, int skip, struct thread **found, int room)
{
    struct picking picking = { self, skip, found, room, 0 };

    registry_each(&threads, pick, &picking);
    return picking.count;
}

static void check_started(void *value, void *unused)
{
    struct thread *thread = value;

    (void)unused;
    if (thread->to_be_started && state_of(thread) == THREAD_NEW)
        violation(R15, "env %p sent events and has had no THREAD_START until JVM_INIT_DONE", (void *)thread->env);
}

void threads_init_done(void)
{
    registry_each(&threads, check_started, NULL);
}

struct move {
    uintptr_t from;
    uintptr_t to;
};

static void follow(void *value, void *argument)
{
    struct thread *thread = value;
    const struct move *move = argument;

    if ((uintptr_t)thread->object == move->from)
        thread->object = (jobjectID)move->to;
    if ((uintptr_t)thread->owed == move->from)
        thread->owed = (jobjectID)move->to;
    if (thread->contended[0] == move->from)
        thread->contended[0] = move->to;
    if ((uintptr_t)thread->wait_object == move->from)
        thread->wait_object = (jobjectID)move->to;
}

void threads_follow_move(jobjectID from, jobjectID to)
{
    struct move move = { (uintptr_t)from, (uintptr_t)to };

    registry_each(&threads, follow, &move);
}

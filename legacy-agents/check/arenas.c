/* The arenas objects are in (R5, R6). A VM that never sends arena events has
 * one, number 1. */
#include "arenas.h"
#include "objects.h"
#include "phase.h"
#include "rules.h"
#include "settings.h"
#include "table.h"

#define ARENAS 4096

struct arena {
    jint id;
    int state; /* PROMISED, LIVE, DEAD */
};

/* Only appended to, so that indices stay and readers need no lock. */
static struct arena arenas[ARENAS];
static int count;
static int events_seen;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int state_of(int index)
{
    return __atomic_load_n(&arenas[index].state, __ATOMIC_ACQUIRE);
}

static void set_state(int index, int state)
{
    __atomic_store_n(&arenas[index].state, state, __ATOMIC_RELEASE);
}

static int find(jint id)
{
    int known = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
    int i;

    for (i = 0; i < known; i++)
        if (arenas[i].id == id)
            return i;
    return NO_ARENA;
}

/* Its index, NO_ARENA if there are too many. */
static int find_or_add(jint id)
{
    int index = find(id);

    if (index != NO_ARENA)
        return index;
    mutex_take(&mutex);
    index = find(id);
    if (index == NO_ARENA && count < ARENAS) {
        index = count;
        arenas[index].id = id;
        __atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&mutex);
    return index;
}

int arena_events_seen(void)
{
    return __atomic_load_n(&events_seen, __ATOMIC_ACQUIRE);
}

void arena_new(const JVMPI_Event *event)
{
    int index = find_or_add(event->u.new_arena.arena_id);

    __atomic_store_n(&events_seen, 1, __ATOMIC_RELEASE);
    if (index == NO_ARENA)
        return;
    if (state_of(index) == LIVE && on(JVMPI_EVENT_ARENA_DELETE))
        violation(R5, "ARENA_NEW of arena %d, which exists", (int)event->u.new_arena.arena_id);
    set_state(index, LIVE);
}

void arena_delete(const JVMPI_Event *event)
{
    int index = find_or_add(event->u.delete_arena.arena_id);

    __atomic_store_n(&events_seen, 1, __ATOMIC_RELEASE);
    if (index == NO_ARENA)
        return;
    if (state_of(index) != LIVE && on(JVMPI_EVENT_ARENA_NEW))
        violation(R5, "ARENA_DELETE of arena %d, which does not exist", (int)event->u.delete_arena.arena_id);
    set_state(index, DEAD);
    objects_sweep(index);
}

static int is_good(int index)
{
    return arena_events_seen() ? state_of(index) == LIVE : arenas[index].id == 1;
}

uint16_t arena_named(jint id, const char *what)
{
    int index = find_or_add(id);

    if (index == NO_ARENA || !on(JVMPI_EVENT_ARENA_NEW))
        return (uint16_t)index;
    if (early() && state_of(index) == 0)
        set_state(index, PROMISED);
    else if (!early() && !is_good(index))
        violation(R6, "%s in arena %d, %s", what, (int)id,
                  arena_events_seen() ? "which does not exist" : "but without arena events all is in arena 1");
    return (uint16_t)index;
}

jint arena_id(uint16_t index)
{
    return index < ARENAS ? arenas[index].id : -1;
}

long arenas_live(void)
{
    long live = 0;
    int i;

    for (i = 0; i < count; i++)
        live += state_of(i) == LIVE;
    return live;
}

void arenas_init_done(void)
{
    int i;

    for (i = 0; i < count && on(JVMPI_EVENT_ARENA_NEW); i++)
        if (state_of(i) == PROMISED && !is_good(i))
            violation(R6, "objects were put into arena %d, which does not exist", (int)arenas[i].id);
}

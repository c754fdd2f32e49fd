/* The live objects as an agent knows them: an open-addressing table from an id
 * to what its OBJECT_ALLOC said. Any thread; one lock, never held while the VM
 * is called. */
#ifndef LIVE_H
#define LIVE_H

#include "check.h"

struct live {
    jobjectID id; /* NULL: empty */
    jobjectID class_id;
    jint is_array, size, arena;
    int number; /* of the agent's own */
};

static pthread_mutex_t live_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct live *live_table;
static size_t live_room, live_count;

static size_t live_place(jobjectID id)
{
    unsigned long long hash = (size_t)id >> 4;

    hash *= 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
    hash &= live_room - 1;
    while (live_table[hash].id != NULL && live_table[hash].id != id)
        hash = (hash + 1) & (live_room - 1);
    return hash;
}

static void live_grow(void)
{
    struct live *old = live_table;
    size_t i, old_room = live_room;

    live_room = old_room == 0 ? 1 << 18 : 2 * old_room;
    live_table = calloc(live_room, sizeof *live_table);
    if (live_table == NULL)
        abort();
    for (i = 0; i < old_room; i++)
        if (old[i].id != NULL)
            live_table[live_place(old[i].id)] = old[i];
    free(old);
}

/* Puts it in or over what is there; whether there was none of this id. */
static int MAYBE live_put(const struct live *object)
{
    size_t place;
    int fresh;

    pthread_mutex_lock(&live_mutex);
    if (2 * live_count >= live_room)
        live_grow();
    place = live_place(object->id);
    fresh = live_table[place].id == NULL;
    live_count += (size_t)fresh;
    live_table[place] = *object;
    pthread_mutex_unlock(&live_mutex);
    return fresh;
}

/* Copies what is known of it; 0 if nothing is. */
static int MAYBE live_get(jobjectID id, struct live *object)
{
    int known = 0;

    pthread_mutex_lock(&live_mutex);
    if (live_room > 0) {
        *object = live_table[live_place(id)];
        known = object->id != NULL;
    }
    pthread_mutex_unlock(&live_mutex);
    return known;
}

static void live_close_gap(size_t gap)
{
    size_t at = gap;

    live_count--;
    for (;;) {
        struct live moved;

        live_table[gap].id = NULL;
        do {
            at = (at + 1) & (live_room - 1);
            if (live_table[at].id == NULL)
                return;
            moved = live_table[at];
            live_table[at].id = NULL;
            gap = live_place(moved.id);
            live_table[at].id = moved.id;
        } while (gap == at);
        live_table[gap] = moved;
        gap = at;
    }
}

/* Takes it out and copies it; 0 if it was not there. */
static int MAYBE live_remove(jobjectID id, struct live *object)
{
    int known = 0;

    pthread_mutex_lock(&live_mutex);
    if (live_room > 0) {
        size_t place = live_place(id);

        *object = live_table[place];
        known = object->id != NULL;
        if (known)
            live_close_gap(place);
    }
    pthread_mutex_unlock(&live_mutex);
    return known;
}

/* Takes out all of an arena; how many. */
static long MAYBE live_remove_arena(jint arena)
{
    size_t i;
    long removed = 0;

    pthread_mutex_lock(&live_mutex);
    for (i = 0; i < live_room;) {
        if (live_table[i].id != NULL && live_table[i].arena == arena) {
            live_close_gap(i);
            removed++;
        } else {
            i++;
        }
    }
    pthread_mutex_unlock(&live_mutex);
    return removed;
}

static long MAYBE live_number(void)
{
    long number;

    pthread_mutex_lock(&live_mutex);
    number = (long)live_count;
    pthread_mutex_unlock(&live_mutex);
    return number;
}

#endif

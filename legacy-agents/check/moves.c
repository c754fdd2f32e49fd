/* Objects that change their id (R4), and those that die with their arena. */
#include "arenas.h"
#include "check.h"
#include "classes.h"
#include "object_table.h"
#include "objects.h"
#include "rules.h"
#include "table.h"
#include "threads.h"

static void sweep(struct shard *shard, struct slot *slot, void *argument)
{
    if ((slot->flags & STATE) != LIVE || slot->arena != *(const int *)argument)
        return;
    count_died(shard, slot);
    add(&swept, (slot->flags & SIZED) != 0);
    if (slot->flags & CLASS)
        class_dies((jobjectID)slot->key);
    slot->flags = DEAD | SWEPT;
}

void objects_sweep(int arena)
{
    table_each(&objects, sweep, &arena);
}

static int take(uintptr_t id, struct slot *out)
{
    struct shard *shard = table_lock(&objects, id);
    struct slot *slot = shard_find(shard, id);

    if (slot != NULL) {
        *out = *slot;
        if ((slot->flags & STATE) == LIVE && slot->flags & SIZED) {
            shard->live--;
            shard->bytes -= slot->size;
        }
        slot->flags = DEAD;
    }
    table_unlock(shard);
    return slot != NULL;
}

static int put(uintptr_t id, const struct slot *moved)
{
    struct shard *shard = table_lock(&objects, id);
    struct slot *slot = shard_put(&objects, shard, id);
    int before = slot != NULL ? slot->flags & STATE : 0;

    if (slot != NULL) {
        if (before == LIVE)
            count_died(shard, slot);
        *slot = *moved;
        slot->key = id;
        if (slot->flags & SIZED) {
            shard->live++;
            shard->bytes += slot->size;
        }
    }
    table_unlock(shard);
    return before;
}

static void check_from(const struct slot *moved, jint arena)
{
    if ((moved->flags & STATE) == DEAD && objects_complete())
        violation(R4, "OBJECT_MOVE of %p, which is dead", (void *)moved->key);
    else if ((moved->flags & STATE) == LIVE && moved->arena != NO_ARENA && arena_id(moved->arena) != arena)
        violation(R6, "OBJECT_MOVE of %p from arena %d, but it is in %d", (void *)moved->key, (int)arena,
                  (int)arena_id(moved->arena));
}

void object_move(const JVMPI_Event *event)
{
    uintptr_t from = (uintptr_t)event->u.obj_move.obj_id;
    uintptr_t to = (uintptr_t)event->u.obj_move.new_obj_id;
    uint16_t arena = arena_named(event->u.obj_move.new_arena_id, "OBJECT_MOVE");
    struct slot moved = { .key = from };

    if (to == 0 || to % 16 != 0)
        violation(R21, "%p is no id of an object", (void *)to);
    if (to == 0)
        return;
    if (take(from, &moved))
        check_from(&moved, event->u.obj_move.arena_id);
    moved.arena = arena;
    if ((moved.flags & STATE) != PROMISED)
        moved.flags = (uint8_t)((moved.flags & ~(STATE | SWEPT)) | LIVE);
    if (put(to, &moved) == LIVE && objects_complete())
        violation(R4, "OBJECT_MOVE of %p to %p, which is alive", (void *)from, (void *)to);
    if (moved.flags & CLASS)
        class_moved((jobjectID)from, (jobjectID)to);
    if (moved.flags & HELD)
        threads_follow_move((jobjectID)from, (jobjectID)to);
    if (from == (uintptr_t)class_of_classes)
        class_of_classes = (jobjectID)to;
}

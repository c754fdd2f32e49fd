/* Objects that events name: they must be alive and known (R7). */
#include "object_table.h"
#include "objects.h"
#include "phase.h"
#include "requests.h"
#include "rules.h"
#include "table.h"

void object_is_class(jobjectID id)
{
    struct shard *shard = table_lock(&objects, (uintptr_t)id);
    struct slot *slot = shard_put(&objects, shard, (uintptr_t)id);

    if (slot != NULL && (slot->flags & STATE) != LIVE)
        revive(slot, 0);
    if (slot != NULL)
        slot->flags |= CLASS;
    table_unlock(shard);
}

/* Its object may live on for some time, or be given to the next class without
 * having been freed. */
void object_was_class(jobjectID id)
{
    struct shard *shard = table_lock(&objects, (uintptr_t)id);
    struct slot *slot = shard_find(shard, (uintptr_t)id);

    if (slot != NULL)
        slot->flags &= (uint8_t)~(CLASS | ANNOUNCED);
    table_unlock(shard);
}

static int look_up(jobjectID id, int flags)
{
    struct shard *shard = table_lock(&objects, (uintptr_t)id);
    struct slot *slot = shard_find(shard, (uintptr_t)id);
    int found = slot != NULL ? slot->flags : 0;

    if ((found & STATE) == LIVE || (found & STATE) == PROMISED)
        slot->flags |= (uint8_t)flags;
    table_unlock(shard);
    return found & STATE;
}

int object_known(jobjectID id)
{
    return look_up(id, 0) == LIVE;
}

static void promise(jobjectID id, int flags)
{
    struct shard *shard = table_lock(&objects, (uintptr_t)id);
    struct slot *slot = shard_put(&objects, shard, (uintptr_t)id);

    if (slot != NULL && (slot->flags & STATE) != LIVE) {
        revive(slot, 0);
        slot->flags = (uint8_t)(PROMISED | flags);
    }
    table_unlock(shard);
}

void object_named(jobjectID id, const char *what, int hold)
{
    int flags = hold ? HELD : 0;
    int state = look_up(id, flags);

    if (state == LIVE || id == NULL || !objects_complete())
        return;
    if (early()) {
        promise(id, flags);
        return;
    }
    if (state == DEAD)
        violation(R7, "%s, %p, is dead", what, (void *)id);
    else if (state != PROMISED && !request(JVMPI_EVENT_OBJECT_ALLOC, id))
        violation(R7, "%s, %p, was never announced, nor can it be requested", what, (void *)id);
}

static void check_defined(struct shard *shard, struct slot *slot, void *unused)
{
    (void)shard;
    (void)unused;
    if ((slot->flags & STATE) == PROMISED && objects_complete())
        violation(R7, "object %p was named and has not been announced until JVM_INIT_DONE", (void *)slot->key);
}

void objects_init_done(void)
{
    table_each(&objects, check_defined, NULL);
}

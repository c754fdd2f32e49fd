/* Global references, strong and weak: made once, deleted once (R14). */
#include "refs.h"
#include "objects.h"
#include "rules.h"
#include "settings.h"
#include "table.h"

static struct table refs[2];

static const char *const KINDS[2] = { "global reference", "weak global reference" };

void refs_start(void)
{
    table_start(&refs[0]);
    table_start(&refs[1]);
}

static void count(struct shard *shard, int change)
{
    shard->live += change;
}

void ref_alloc(const JVMPI_Event *event, int weak)
{
    uintptr_t id = (uintptr_t)event->u.jni_globalref_alloc.ref_id;
    jobjectID object = event->u.jni_globalref_alloc.obj_id;
    int frees = on(weak ? JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE : JVMPI_EVENT_JNI_GLOBALREF_FREE);
    struct shard *shard;
    struct slot *slot;
    int live;

    if (object == NULL)
        violation(R7, "a %s to no object", KINDS[weak]);
    else
        object_named(object, "the object referred to", 0);
    if (id == 0) {
        violation(R14, "a %s without an id", KINDS[weak]);
        return;
    }
    shard = table_lock(&refs[weak], id);
    slot = shard_put(&refs[weak], shard, id);
    live = slot != NULL && (slot->flags & STATE) == LIVE;
    if (slot != NULL) {
        slot->flags = LIVE;
        count(shard, !live);
    }
    table_unlock(shard);
    if (live && frees)
        violation(R14, "%s %p exists already", KINDS[weak], (void *)id);
}

void ref_free(const JVMPI_Event *event, int weak)
{
    uintptr_t id = (uintptr_t)event->u.jni_globalref_free.ref_id;
    int allocs = on(weak ? JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC : JVMPI_EVENT_JNI_GLOBALREF_ALLOC);
    struct shard *shard = table_lock(&refs[weak], id);
    struct slot *slot = shard_find(shard, id);
    int live = slot != NULL && (slot->flags & STATE) == LIVE;
    int was_there = slot != NULL;

    if (live) {
        slot->flags = DEAD;
        count(shard, -1);
    }
    table_unlock(shard);
    if (!live && allocs && !refs[weak].short_of_memory)
        violation(R14, was_there ? "%s %p is deleted already" : "%s %p was never made", KINDS[weak], (void *)id);
}

long refs_live(int weak)
{
    long sum = 0;
    int i;

    for (i = 0; i < SHARDS; i++)
        sum += refs[weak].shards[i].live;
    return sum;
}

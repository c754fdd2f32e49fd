/* Who is born and who dies (R3, R4, R21). */
#include "objects.h"
#include "arenas.h"
#include "check.h"
#include "classes.h"
#include "object_table.h"
#include "rules.h"
#include "settings.h"
#include "table.h"

struct tally primitive_arrays[12];
struct tally unknown_arrays;

struct table objects;
static long unknown_freed;
long swept;
jobjectID class_of_classes;

/* What an OBJECT_ALLOC tells. */
struct birth {
    uintptr_t id;
    struct class_info *class;
    jint kind;
    jint size;
    uint16_t arena;
    int requested;
};

void objects_start(void)
{
    table_start(&objects);
}

int objects_complete(void)
{
    if (!on(JVMPI_EVENT_OBJECT_ALLOC) || __atomic_load_n(&objects.short_of_memory, __ATOMIC_RELAXED))
        return 0;
    /* Where objects move or arenas vanish unseen, nothing is certain. */
    return !arena_events_seen() || (on(JVMPI_EVENT_OBJECT_MOVE) && on(JVMPI_EVENT_ARENA_DELETE));
}

/* ---- counting; the shard is locked ---- */

static struct tally *tally_of(const struct slot *slot)
{
    struct class_info *class = slot->of;

    if (slot->kind == JVMPI_NORMAL_OBJECT)
        return class != NULL && class->chosen ? &class->objects : NULL;
    if (settings.classes == NULL)
        return NULL;
    if (slot->kind == JVMPI_CLASS && class != NULL)
        return class->chosen ? &class->arrays : NULL;
    return slot->kind >= JVMPI_BOOLEAN && slot->kind <= JVMPI_LONG ? &primitive_arrays[slot->kind] : &unknown_arrays;
}

static void count_born(struct shard *shard, const struct slot *slot)
{
    struct tally *tally = tally_of(slot);

    shard->live++;
    shard->bytes += slot->size;
    if (tally == NULL)
        return;
    __atomic_fetch_add(&tally->allocs, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&tally->bytes, slot->size, __ATOMIC_RELAXED);
}

void count_died(struct shard *shard, const struct slot *slot)
{
    struct tally *tally = tally_of(slot);

    if (!(slot->flags & SIZED))
        return;
    shard->live--;
    shard->bytes -= slot->size;
    if (tally == NULL)
        return;
    __atomic_fetch_add(&tally->frees, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&tally->freed_bytes, slot->size, __ATOMIC_RELAXED);
}

static void set_birth(struct shard *shard, struct slot *slot, const struct birth *birth)
{
    if (slot->flags & SIZED && (slot->flags & STATE) == LIVE)
        count_died(shard, slot);
    slot->of = birth->class;
    slot->kind = (uint8_t)birth->kind;
    slot->size = (uint32_t)birth->size;
    slot->arena = birth->arena;
    slot->flags |= SIZED;
    count_born(shard, slot);
}

void revive(struct slot *slot, int flags)
{
    slot->of = NULL;
    slot->size = 0;
    slot->kind = 0;
    slot->arena = NO_ARENA;
    slot->flags = (uint8_t)(LIVE | flags | ((slot->flags & STATE) == PROMISED ? slot->flags & HELD : 0));
}

/* ---- allocation ---- */

void object_is_class_of_classes(jobjectID id)
{
    jobjectID none = NULL;

    if (!__atomic_compare_exchange_n(&class_of_classes, &none, id, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED) && none != id)
        violation(R21, "object %p has no class, which is so only for java.lang.Class, %p", (void *)id, (void *)none);
}

static void check_class(const JVMPI_Event *event)
{
    jobjectID id = event->u.obj_alloc.obj_id;
    jobjectID class = event->u.obj_alloc.class_id;
    jint kind = event->u.obj_alloc.is_array;

    if (kind >= JVMPI_BOOLEAN && kind <= JVMPI_LONG && class != NULL)
        violation(R21, "array %p of primitive values, kind %d, has class %p", (void *)id, (int)kind, (void *)class);
    if (kind != JVMPI_NORMAL_OBJECT || class != NULL)
        return;
    object_is_class_of_classes(id);
}

static void check_fields(const JVMPI_Event *event)
{
    uintptr_t id = (uintptr_t)event->u.obj_alloc.obj_id;
    jint kind = event->u.obj_alloc.is_array;
    jint size = event->u.obj_alloc.size;

    if (id == 0 || id % 16 != 0)
        violation(R21, "%p is no id of an object", (void *)id);
    if (size <= 0 || size % 8 != 0)
        violation(R21, "object %p has size %d", (void *)id, (int)size);
    if (kind != JVMPI_NORMAL_OBJECT && kind != JVMPI_CLASS && (kind < JVMPI_BOOLEAN || kind > JVMPI_LONG))
        violation(R21, "object %p is of kind %d", (void *)id, (int)kind);
    check_class(event);
}

/* The flags the object had, 0 if there was none. With the shard locked. */
static int enter(struct shard *shard, struct slot *slot, const struct birth *birth)
{
    int before = slot->flags;

    if ((before & STATE) != LIVE)
        revive(slot, birth->requested ? ASKED : ANNOUNCED);
    else if (!birth->requested)
        slot->flags |= ANNOUNCED;
    if (!birth->requested || !(before & SIZED) || (before & STATE) != LIVE)
        set_birth(shard, slot, birth);
    return before;
}

static void check_again(const struct slot *was, const struct birth *birth)
{
    /* The class of an array's elements may not have been linked when the array was made. */
    int late = birth->kind == JVMPI_CLASS && was->of == NULL;

    if ((was->of != birth->class && !late) || was->size != (uint32_t)birth->size || was->kind != (uint8_t)birth->kind)
        violation(R16, "object %p: class %p size %d kind %d, at its OBJECT_ALLOC %p %d %d", (void *)birth->id,
                  birth->class != NULL ? (void *)birth->class->id : NULL, (int)birth->size, (int)birth->kind,
                  was->of != NULL ? (void *)((struct class_info *)was->of)->id : NULL, (int)was->size, (int)was->kind);
    else if (was->arena != birth->arena)
        violation(R16, "object %p: arena %d, but it is in %d", (void *)birth->id, (int)arena_id(birth->arena),
                  (int)arena_id(was->arena));
}

static void check_birth(const struct slot *was, const struct birth *birth)
{
    int state = was->flags & STATE;

    if (birth->requested) {
        if (state == LIVE && was->flags & SIZED)
            check_again(was, birth);
        else if (state == DEAD && objects_complete())
            violation(R16, "an answer about object %p, which is dead", (void *)birth->id);
        return;
    }
    if (state != LIVE || !on(JVMPI_EVENT_OBJECT_FREE) || !objects_complete())
        return;
    if (was->flags & ANNOUNCED)
        violation(R3, "OBJECT_ALLOC of %p, which is alive", (void *)birth->id);
    else if (was->flags & ASKED && !(was->flags & CLASS))
        violation(R3, "OBJECT_ALLOC of %p, which a requested one defined before", (void *)birth->id);
}

void object_alloc(const JVMPI_Event *event, int requested)
{
    struct birth birth = {
        (uintptr_t)event->u.obj_alloc.obj_id,
        NULL,
        event->u.obj_alloc.is_array,
        event->u.obj_alloc.size,
        NO_ARENA,
        requested,
    };
    struct slot was = { 0 };
    struct shard *shard;
    struct slot *slot;

    check_fields(event);
    if (birth.id == 0)
        return;
    birth.class = class_named(event->u.obj_alloc.class_id, "the object's class");
    birth.arena = arena_named(event->u.obj_alloc.arena_id, requested ? "an object" : "OBJECT_ALLOC");
    shard = table_lock(&objects, birth.id);
    slot = shard_put(&objects, shard, birth.id);
    if (slot != NULL) {
        was = *slot;
        enter(shard, slot, &birth);
    }
    table_unlock(shard);
    check_birth(&was, &birth);
}

/* ---- death ---- */

void object_free(const JVMPI_Event *event)
{
    uintptr_t id = (uintptr_t)event->u.obj_free.obj_id;
    struct shard *shard = table_lock(&objects, id);
    struct slot *slot = shard_find(shard, id);
    int before = slot != NULL ? slot->flags : 0;

    if ((before & STATE) == LIVE) {
        count_died(shard, slot);
        shard->freed += (before & SIZED) != 0;
    }
    if (slot != NULL)
        slot->flags = (uint8_t)(DEAD | (before & SWEPT));
    table_unlock(shard);
    if (before == 0 || (before & STATE) == PROMISED)
        add(&unknown_freed, 1);
    else if ((before & STATE) == DEAD && objects_complete())
        violation(before & SWEPT ? R5 : R4, before & SWEPT ? "object %p is dead since its arena was deleted" :
                  "object %p is dead already", (void *)id);
    if ((before & STATE) == LIVE && before & CLASS) {
        if (on(JVMPI_EVENT_CLASS_UNLOAD))
            violation(R9, "OBJECT_FREE of class %p, which is not unloaded", (void *)id);
        else
            class_dies((jobjectID)id);
    }
}

struct object_totals object_totals(void)
{
    struct object_totals totals = { 0, 0, 0, get(&swept), get(&unknown_freed) };
    int i;

    for (i = 0; i < SHARDS; i++) {
        totals.freed += objects.shards[i].freed;
        totals.live += objects.shards[i].live;
        totals.live_bytes += objects.shards[i].bytes;
    }
    return totals;
}

/* Values by id, sharded, many millions. */
#ifndef XRUN_AGENT_CHECK_TABLE_H
#define XRUN_AGENT_CHECK_TABLE_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

enum slot_flags {
    PROMISED = 1, /* named before JVM_INIT_DONE, to be defined until then */
    LIVE = 2,
    DEAD = 3,
    STATE = 3,    /* mask of the three above */
    SWEPT = 4,    /* dead because its arena is */
    CLASS = 8,    /* the object of a class that is loaded */
    ANNOUNCED = 16, /* had its own OBJECT_ALLOC */
    SIZED = 32,   /* an OBJECT_ALLOC, requested or not, told class and size */
    HELD = 64,    /* a thread's record mentions it */
    ASKED = 128   /* defined by a requested event */
};

/* The meaning of the fields is the user's; a slot without flags is new. */
struct slot {
    uintptr_t key;
    void *of;
    uint32_t size;
    uint16_t arena;
    uint8_t kind;
    uint8_t flags;
};

struct shard {
    pthread_mutex_t mutex;
    struct slot *slots;
    size_t capacity; /* 0 or a power of two */
    size_t used;     /* slots with a key, dead ones included */
    long live;       /* kept by the user, as are the next two */
    long freed;
    long long bytes;
} __attribute__((aligned(64)));

#define SHARDS 256

struct table {
    struct shard shards[SHARDS];
    int short_of_memory; /* something could not be entered: absence means nothing */
};

/* Without waiting, if nobody else is inside: with the option `lock` nobody is while a
 * handler runs in thread-suspended mode, where waiting is forbidden. */
void mutex_take(pthread_mutex_t *mutex);
void table_start(struct table *table);
struct shard *table_lock(struct table *table, uintptr_t key);
void table_unlock(struct shard *shard);
/* With the shard locked, valid until it is unlocked; NULL if there is none. */
struct slot *shard_find(struct shard *shard, uintptr_t key);
/* Likewise, but makes one; NULL if out of memory. The slot of a dead key is
 * given again as it is. */
struct slot *shard_put(struct table *table, struct shard *shard, uintptr_t key);
/* Calls `visit` for every slot, with its shard locked. */
void table_each(struct table *table, void (*visit)(struct shard *, struct slot *, void *), void *argument);
/* Zeroed memory from the kernel; NULL if there is none. */
void *pages(size_t size);
void pages_free(void *memory, size_t size);

#endif

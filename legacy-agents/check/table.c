/* Values by id: open addressing, one lock and one array per shard. */
#include "table.h"

#include <string.h>
#include <sys/mman.h>

#define FIRST_CAPACITY 128

void *pages(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return memory != MAP_FAILED ? memory : NULL;
}

void pages_free(void *memory, size_t size)
{
    if (memory != NULL)
        munmap(memory, size);
}

void mutex_take(pthread_mutex_t *mutex)
{
    if (pthread_mutex_trylock(mutex) != 0)
        pthread_mutex_lock(mutex);
}

void table_start(struct table *table)
{
    int i;

    for (i = 0; i < SHARDS; i++)
        pthread_mutex_init(&table->shards[i].mutex, NULL);
}

struct shard *table_lock(struct table *table, uintptr_t key)
{
    struct shard *shard = &table->shards[(key >> 4) % SHARDS];

    mutex_take(&shard->mutex);
    return shard;
}

void table_unlock(struct shard *shard)
{
    pthread_mutex_unlock(&shard->mutex);
}

/* The slot of the key, or the free one where it belongs. */
static struct slot *probe(struct slot *slots, size_t capacity, uintptr_t key)
{
    size_t at = (size_t)((uint64_t)key * 0x9e3779b97f4a7c15u >> 24);

    for (;; at++) {
        struct slot *slot = &slots[at & (capacity - 1)];

        if (slot->key == key || slot->key == 0)
            return slot;
    }
}

struct slot *shard_find(struct shard *shard, uintptr_t key)
{
    struct slot *slot;

    if (shard->capacity == 0 || key == 0)
        return NULL;
    slot = probe(shard->slots, shard->capacity, key);
    return slot->key != 0 ? slot : NULL;
}

static int is_dead(const struct slot *slot)
{
    return (slot->flags & STATE) == DEAD;
}

/* Dead slots stay, so that a second death is noticed, until the shard is full.
 * Then they make room; it grows only if that would not free enough. */
static int grow(struct shard *shard)
{
    size_t capacity = shard->capacity != 0 ? shard->capacity : FIRST_CAPACITY;
    size_t kept = 0;
    struct slot *slots;
    size_t i;

    for (i = 0; i < shard->capacity; i++)
        kept += shard->slots[i].key != 0 && !is_dead(&shard->slots[i]);
    if (kept > capacity / 2)
        capacity *= 2;
    slots = pages(capacity * sizeof *slots);
    if (slots == NULL)
        return 0;
    for (i = 0; i < shard->capacity; i++)
        if (shard->slots[i].key != 0 && !is_dead(&shard->slots[i]))
            *probe(slots, capacity, shard->slots[i].key) = shard->slots[i];
    pages_free(shard->slots, shard->capacity * sizeof *slots);
    shard->slots = slots;
    shard->capacity = capacity;
    shard->used = kept;
    return 1;
}

struct slot *shard_put(struct table *table, struct shard *shard, uintptr_t key)
{
    struct slot *slot = shard_find(shard, key);

    if (slot != NULL)
        return slot;
    if (key == 0)
        return NULL;
    if (shard->used + 1 > shard->capacity / 4 * 3 && !grow(shard) && shard->used + 1 >= shard->capacity) {
        __atomic_store_n(&table->short_of_memory, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    slot = probe(shard->slots, shard->capacity, key);
    memset(slot, 0, sizeof *slot);
    slot->key = key;
    shard->used++;
    return slot;
}

void table_each(struct table *table, void (*visit)(struct shard *, struct slot *, void *), void *argument)
{
    int i;
    size_t at;

    for (i = 0; i < SHARDS; i++) {
        struct shard *shard = &table->shards[i];

        mutex_take(&shard->mutex);
        for (at = 0; at < shard->capacity; at++)
            if (shard->slots[at].key != 0)
                visit(shard, &shard->slots[at], argument);
        pthread_mutex_unlock(&shard->mutex);
    }
}

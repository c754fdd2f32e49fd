/* Pointers by id. Readers take no lock: a map that was outgrown is left where
 * it is, because one of them may still be looking at it. Together the old maps
 * are smaller than the new one, unless classes are renumbered all the time. */
#include "registry.h"
#include "table.h"

#define FIRST_CAPACITY 1024

struct pair {
    uintptr_t key;
    void *value;
};

struct registry_map {
    size_t capacity;
    struct pair pairs[];
};

static struct pair *probe(struct registry_map *map, uintptr_t key)
{
    size_t at = (size_t)((uint64_t)key * 0x9e3779b97f4a7c15u >> 24);

    for (;; at++) {
        struct pair *pair = &map->pairs[at & (map->capacity - 1)];
        uintptr_t found = __atomic_load_n(&pair->key, __ATOMIC_ACQUIRE);

        if (found == key || found == 0)
            return pair;
    }
}

void *registry_find(struct registry *registry, const void *key)
{
    struct registry_map *map = __atomic_load_n(&registry->map, __ATOMIC_ACQUIRE);
    struct pair *pair;

    if (map == NULL || key == NULL)
        return NULL;
    pair = probe(map, (uintptr_t)key);
    if (__atomic_load_n(&pair->key, __ATOMIC_ACQUIRE) == 0)
        return NULL;
    return __atomic_load_n(&pair->value, __ATOMIC_ACQUIRE);
}

static struct registry_map *map_of(size_t capacity)
{
    struct registry_map *map = pages(sizeof *map + capacity * sizeof(struct pair));

    if (map != NULL)
        map->capacity = capacity;
    return map;
}

static size_t keys_in_use(const struct registry_map *map)
{
    size_t count = 0;
    size_t i;

    for (i = 0; i < map->capacity; i++)
        count += map->pairs[i].value != NULL;
    return count;
}

static int grow(struct registry *registry)
{
    struct registry_map *old = registry->map;
    size_t capacity = FIRST_CAPACITY;
    size_t kept = old != NULL ? keys_in_use(old) : 0;
    struct registry_map *map;
    size_t i;

    while (kept * 3 > capacity)
        capacity *= 2;
    map = map_of(capacity);
    if (map == NULL)
        return 0;
    for (i = 0; old != NULL && i < old->capacity; i++)
        if (old->pairs[i].value != NULL)
            *probe(map, old->pairs[i].key) = old->pairs[i];
    registry->used = kept;
    __atomic_store_n(&registry->map, map, __ATOMIC_RELEASE);
    return 1;
}

static int put(struct registry *registry, uintptr_t key, void *value)
{
    struct registry_map *map = registry->map;
    struct pair *pair = map != NULL ? probe(map, key) : NULL;

    if (pair == NULL || pair->key == 0) {
        if (value == NULL)
            return 1;
        if (map == NULL || (registry->used + 1) * 10 > map->capacity * 7) {
            if (!grow(registry))
                return 0;
            pair = probe(registry->map, key);
        }
        registry->used++;
    }
    /* The value first: whoever sees the key sees it. */
    __atomic_store_n(&pair->value, value, __ATOMIC_RELEASE);
    __atomic_store_n(&pair->key, key, __ATOMIC_RELEASE);
    return 1;
}

int registry_put(struct registry *registry, const void *key, void *value)
{
    int done;

    mutex_take(&registry->mutex);
    done = put(registry, (uintptr_t)key, value);
    pthread_mutex_unlock(&registry->mutex);
    return done;
}

void registry_each(struct registry *registry, void (*visit)(void *value, void *argument), void *argument)
{
    struct registry_map *map = __atomic_load_n(&registry->map, __ATOMIC_ACQUIRE);
    size_t i;

    for (i = 0; map != NULL && i < map->capacity; i++) {
        void *value = __atomic_load_n(&map->pairs[i].value, __ATOMIC_ACQUIRE);

        if (value != NULL)
            visit(value, argument);
    }
}

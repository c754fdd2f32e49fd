/* Pointers by id, read without a lock. */
#ifndef XRUN_AGENT_CHECK_REGISTRY_H
#define XRUN_AGENT_CHECK_REGISTRY_H

#include <pthread.h>
#include <stddef.h>

struct registry {
    pthread_mutex_t mutex; /* of writers */
    struct registry_map *map;
    size_t used;
};

void *registry_find(struct registry *registry, const void *key);
/* NULL takes the key out. 0 if out of memory. */
int registry_put(struct registry *registry, const void *key, void *value);
void registry_each(struct registry *registry, void (*visit)(void *value, void *argument), void *argument);

#endif

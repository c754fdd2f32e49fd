/* The floor under OBJECT_ALLOC: the least that a JVMTI agent can do to tell allocations apart.
 *
 * For each object: which class (GetTag), how big (GetObjectSize), a name for it (SetTag), and
 * count it. Ids and counts are per thread (ids in blocks of 1024), so that the floor scales as
 * well as the VM lets it. Options: `free` also listens to ObjectFree with a callback that
 * counts and returns; `count` counts and nothing else (what the VM's event costs); `stack`
 * takes a stack of four frames, too. */
#include <jvmti.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 1024

typedef struct Thread {
    uint64_t allocs, bytes, next_id, last_id;
    struct Thread *next;
} Thread;

static __thread Thread *self __attribute__((tls_model("initial-exec")));
static Thread *all;
static uint64_t ids;
static uint64_t frees; /* one poster at a time: the VM Thread, or the Service Thread */
static int with_frees, only_count, with_stack;

static Thread *me(void) {
    if (self == NULL) {
        Thread *fresh = calloc(1, sizeof *fresh);
        do {
            fresh->next = __atomic_load_n(&all, __ATOMIC_RELAXED);
        } while (!__sync_bool_compare_and_swap(&all, fresh->next, fresh));
        self = fresh;
    }
    return self;
}

static jlong fresh_id(Thread *thread) {
    if (thread->next_id == thread->last_id) {
        thread->next_id = __sync_fetch_and_add(&ids, BLOCK) + 1;
        thread->last_id = thread->next_id + BLOCK;
    }
    return (jlong)thread->next_id++;
}

static void JNICALL allocated(jvmtiEnv *jvmti, JNIEnv *env, jthread java_thread, jobject object, jclass class, jlong given) {
    Thread *thread = me();
    jlong class_id = 0, size = given;
    (void)env, (void)java_thread;
    if (!only_count) {
        (*jvmti)->GetTag(jvmti, class, &class_id);
        if (class_id == 0) (*jvmti)->SetTag(jvmti, class, fresh_id(thread));
        (*jvmti)->GetObjectSize(jvmti, object, &size);
        (*jvmti)->SetTag(jvmti, object, fresh_id(thread));
    }
    if (with_stack) {
        jvmtiFrameInfo frames[4];
        jint count;
        (*jvmti)->GetStackTrace(jvmti, NULL, 0, 4, frames, &count);
    }
    thread->allocs++;
    thread->bytes += (uint64_t)size;
}

static void JNICALL freed(jvmtiEnv *jvmti, jlong tag) {
    (void)jvmti, (void)tag;
    frees++;
}

static void JNICALL up(jvmtiEnv *jvmti, JNIEnv *env, jthread thread) {
    (void)env, (void)thread;
    (*jvmti)->ForceGarbageCollection(jvmti); /* retires the TLABs: what they still hold would not be sampled */
}

static void JNICALL down(jvmtiEnv *jvmti, JNIEnv *env) {
    uint64_t allocs = 0, bytes = 0;
    Thread *thread;
    (void)jvmti, (void)env;
    for (thread = all; thread != NULL; thread = thread->next) {
        allocs += thread->allocs;
        bytes += thread->bytes;
    }
    fprintf(stderr, "agent: allocs %llu bytes %llu frees %llu\n", (unsigned long long)allocs,
            (unsigned long long)bytes, (unsigned long long)frees);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    static const jvmtiEvent wanted[] = {JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_DEATH, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC};
    jvmtiEnv *jvmti;
    jvmtiCapabilities caps;
    jvmtiEventCallbacks callbacks;
    size_t i;
    (void)reserved;
    with_frees = options != NULL && strstr(options, "free") != NULL;
    with_stack = options != NULL && strstr(options, "stack") != NULL;
    only_count = options != NULL && strstr(options, "count") != NULL;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) != JNI_OK) return JNI_ERR;
    memset(&caps, 0, sizeof caps);
    caps.can_tag_objects = caps.can_generate_sampled_object_alloc_events = 1;
    caps.can_generate_object_free_events = with_frees != 0;
    if ((*jvmti)->AddCapabilities(jvmti, &caps) != 0) return JNI_ERR;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.VMInit = up;
    callbacks.VMDeath = down;
    callbacks.SampledObjectAlloc = allocated;
    callbacks.ObjectFree = freed;
    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks);
    (*jvmti)->SetHeapSamplingInterval(jvmti, 0);
    for (i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        if ((*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, wanted[i], NULL) != 0) return JNI_ERR;
    }
    if (with_frees) (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_OBJECT_FREE, NULL);
    return JNI_OK;
}

/* The natives of Refs.java: references and allocations by JNI. As an agent
 * (-Xrunrefs) it also checks each event of its own references; the program can
 * load it beside another agent, too. */
#include "check.h"

#define MAX_REFS (1 << 20)

static struct ref {
    jobject ref;
    jobjectID obj_id;
    int weak;
} known[MAX_REFS];
static pthread_mutex_t known_mutex = PTHREAD_MUTEX_INITIALIZER;

/* What the natives made and did not delete yet. */
static jobject left[2][MAX_REFS];
static int left_count[2];

static __thread int inside;
static long made[2], deleted[2], alloc_events[2], free_events[2];
static long twice, unknown, missing, other_object, other_thread;

static struct ref *place_of(jobject ref)
{
    size_t hash = (size_t)ref >> 3;

    hash = (hash * 0x9e3779b97f4a7c15u) >> 40;
    for (;; hash++) {
        struct ref *place = &known[hash & (MAX_REFS - 1)];

        if (place->ref == NULL || place->ref == ref)
            return place;
    }
}

/* A place keeps its reference for good; obj_id says whether it is live. */
static void on_alloc(JVMPI_Event *event, int weak)
{
    struct ref *place;

    if (inside)
        __atomic_add_fetch(&alloc_events[weak], 1, __ATOMIC_RELAXED);
    pthread_mutex_lock(&known_mutex);
    place = place_of(event->u.jni_globalref_alloc.ref_id);
    if (place->ref != NULL && place->obj_id != NULL)
        twice++;
    place->ref = event->u.jni_globalref_alloc.ref_id;
    place->obj_id = event->u.jni_globalref_alloc.obj_id;
    place->weak = weak;
    pthread_mutex_unlock(&known_mutex);
}

static void on_free(JVMPI_Event *event, int weak)
{
    struct ref *place;

    if (inside)
        __atomic_add_fetch(&free_events[weak], 1, __ATOMIC_RELAXED);
    pthread_mutex_lock(&known_mutex);
    place = place_of(event->u.jni_globalref_free.ref_id);
    /* The VM may free what it made before the agent could see it. */
    if (inside && (place->obj_id == NULL || place->weak != weak))
        unknown++;
    place->obj_id = NULL;
    pthread_mutex_unlock(&known_mutex);
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JNI_GLOBALREF_ALLOC, JVMPI_EVENT_JNI_GLOBALREF_FREE,
                                  JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC, JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE,
                                  JVMPI_EVENT_OBJECT_ALLOC, JVMPI_EVENT_OBJECT_FREE, JVMPI_EVENT_THREAD_START,
                                  JVMPI_EVENT_THREAD_END, JVMPI_EVENT_CLASS_LOAD, 0 };

    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
    JNIEnv *own = NULL;

    switch (type) {
    case JVMPI_EVENT_JNI_GLOBALREF_ALLOC:
    case JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC:
        on_alloc(event, type == JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC);
        break;
    case JVMPI_EVENT_JNI_GLOBALREF_FREE:
    case JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE:
        on_free(event, type == JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE);
        break;
    default:
        return;
    }
    if (inside) {
        (*vm)->GetEnv(vm, (void **)&own, JNI_VERSION_1_2);
        if (own != event->env_id)
            __atomic_add_fetch(&other_thread, 1, __ATOMIC_RELAXED);
    }
}

/* A reference just made, as an agent sees it. */
static void look_at(jobject ref, int weak)
{
    struct ref seen;
    jobjectID id;

    if (jvmpi == NULL)
        return;
    pthread_mutex_lock(&known_mutex);
    seen = *place_of(ref);
    pthread_mutex_unlock(&known_mutex);
    if (seen.obj_id == NULL || seen.weak != weak) {
        __atomic_add_fetch(&missing, 1, __ATOMIC_RELAXED);
        return;
    }
    jvmpi->DisableGC();
    id = jvmpi->jobject2jobjectID(ref);
    jvmpi->EnableGC();
    if (id != seen.obj_id)
        __atomic_add_fetch(&other_object, 1, __ATOMIC_RELAXED);
}

static void drop(JNIEnv *env, jobject ref, int weak)
{
    inside = 1;
    if (weak)
        (*env)->DeleteWeakGlobalRef(env, ref);
    else
        (*env)->DeleteGlobalRef(env, ref);
    inside = 0;
    __atomic_add_fetch(&deleted[weak], 1, __ATOMIC_RELAXED);
}

static jint make(JNIEnv *env, jobject object, jint n, int weak)
{
    jint i, kept = 0;

    for (i = 0; i < n; i++) {
        jobject ref;

        inside = 1;
        ref = weak ? (*env)->NewWeakGlobalRef(env, object) : (*env)->NewGlobalRef(env, object);
        inside = 0;
        __atomic_add_fetch(&made[weak], 1, __ATOMIC_RELAXED);
        look_at(ref, weak);
        if (i % 2 == 0) {
            drop(env, ref, weak);
            continue;
        }
        pthread_mutex_lock(&known_mutex);
        left[weak][left_count[weak]++] = ref;
        pthread_mutex_unlock(&known_mutex);
        kept++;
    }
    return kept;
}

JNIEXPORT jint JNICALL Java_Refs_global(JNIEnv *env, jclass class, jobject object, jint n)
{
    return make(env, object, n, 0);
}

JNIEXPORT jint JNICALL Java_Refs_weak(JNIEnv *env, jclass class, jobject object, jint n)
{
    return make(env, object, n, 1);
}

/* ---- a class that is loaded, but not linked ---- */

static jobject early_ref;

static jobjectID told_of(jobject ref)
{
    jobjectID id;

    pthread_mutex_lock(&known_mutex);
    id = place_of(ref)->obj_id;
    pthread_mutex_unlock(&known_mutex);
    return id;
}

JNIEXPORT void JNICALL Java_Refs_unlinked(JNIEnv *env, jclass class, jclass unlinked)
{
    jobject soon_gone = (*env)->NewGlobalRef(env, unlinked);

    early_ref = (*env)->NewGlobalRef(env, unlinked);
    if (jvmpi != NULL)
        expect("a reference before its class's CLASS_LOAD", (long)told_of(early_ref), 0);
    (*env)->DeleteGlobalRef(env, soon_gone);
}

JNIEXPORT void JNICALL Java_Refs_linked(JNIEnv *env, jclass class, jclass linked)
{
    if (jvmpi != NULL) {
        jvmpi->DisableGC();
        expect("the reference after it", (long)told_of(early_ref), (long)jvmpi->jobject2jobjectID(linked));
        jvmpi->EnableGC();
    }
    (*env)->DeleteGlobalRef(env, early_ref);
    if (jvmpi != NULL)
        expect("and its end", (long)told_of(early_ref), 0);
}

JNIEXPORT void JNICALL Java_Refs_deleteAll(JNIEnv *env, jclass class)
{
    int weak;

    for (weak = 0; weak < 2; weak++)
        while (left_count[weak] > 0)
            drop(env, left[weak][--left_count[weak]], weak);
}

JNIEXPORT void JNICALL Java_Refs_allocate(JNIEnv *env, jclass class, jclass by_new, jclass by_alloc, jclass element,
                                          jint n)
{
    jmethodID constructor = (*env)->GetMethodID(env, by_new, "<init>", "()V");
    jint i;

    for (i = 0; i < n && constructor != NULL; i++) {
        if ((*env)->PushLocalFrame(env, 8) != 0)
            return;
        if ((*env)->NewObject(env, by_new, constructor) == NULL || (*env)->AllocObject(env, by_alloc) == NULL ||
            (*env)->NewObjectArray(env, 3, element, NULL) == NULL || (*env)->NewIntArray(env, 4) == NULL ||
            (*env)->NewStringUTF(env, "a string") == NULL)
            return;
        (*env)->PopLocalFrame(env, NULL);
    }
}

JNIEXPORT void JNICALL Java_Refs_report(JNIEnv *env, jclass class)
{
    if (jvmpi == NULL)
        return;
    expect("JNI_GLOBALREF_ALLOC for each", alloc_events[0], made[0]);
    expect("JNI_GLOBALREF_FREE for each", free_events[0], deleted[0]);
    expect("JNI_WEAK_GLOBALREF_ALLOC for each", alloc_events[1], made[1]);
    expect("JNI_WEAK_GLOBALREF_FREE for each", free_events[1], deleted[1]);
    expect("allocated while live", twice, 0);
    expect("freed while not live", unknown, 0);
    expect("not announced when the call returns", missing, 0);
    expect("with another object's id", other_object, 0);
    expect("on another thread", other_thread, 0);
}

static void check(JNIEnv *env, const char *what)
{
}

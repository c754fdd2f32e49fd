@if births

/* ---- Births: each object gets an id, or its death would not be told ---- */

@end
@if OBJECT_ALLOC
@about OBJECT_ALLOC
static void object_alloc(jlong id, jlong size)
{
    (void)id, (void)size;
    count(OBJECT_ALLOC);
}

@end
@if births
/* The id of this thread's last birth, until VMObjectAlloc may have told of it as well. */
static __thread jlong born;

static void object_born(jobject object, jlong size)
{
    jlong tag = 0;

    enter(known);
    if (ok((*jvmti)->GetTag(jvmti, object, &tag), "GetTag") && tag == 0) {
        born = new_id();
        if (!ok((*jvmti)->SetTag(jvmti, object, born), "SetTag"))
            born = 0;
    }
    leave(known);
@if OBJECT_ALLOC
    if (born != 0)
        object_alloc(born, size);
@else
    (void)size;
@end
}

/* With interval 0 every object that the VM really makes comes here; what the JIT removes is never made. */
static void JNICALL on_SampledObjectAlloc(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object, jclass class,
                                          jlong size)
{
    (void)env, (void)jni, (void)thread;
    born = 0;
    if (is_wanted(class))
        object_born(object, size);
}

/* What the VM makes by itself comes here as well, afterwards: it has its tag and is passed over. HotSpot of JDK 21
 * and later loses the tag of a clone in between, and counting what has none counts clones twice: such an object
 * gets its id again. The old entry is still there and tells of the death, too; the minus says which is the second. */
static void JNICALL on_VMObjectAlloc(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object, jclass class, jlong size)
{
    jlong tag = 0, id = born;

    (void)env, (void)jni, (void)thread;
    born = 0;
    if (!ok((*jvmti)->GetTag(jvmti, object, &tag), "GetTag") || tag != 0)
        return;
    if (id != 0)
        ok((*jvmti)->SetTag(jvmti, object, -id), "SetTag");
    else if (is_wanted(class))
        object_born(object, size);
}

/* No JNI in here, and hardly anything of JVMTI. */
static jint JNICALL older_object(jlong class_tag, jlong size, jlong *tag, jint length, void *unused)
{
    (void)size, (void)length, (void)unused;
    /* Classes that are not wanted have no tag. */
    if (include != NULL && class_tag == 0)
        return JVMTI_VISIT_OBJECTS;
    *tag = new_id();
@if OBJECT_ALLOC
    object_alloc(*tag, size);
@end
    return JVMTI_VISIT_OBJECTS;
}

/* A thread does not look at what it allocates in the piece of the heap that it has already; a collection takes it
 * away. Then the objects that are older than the events. Who begins later, or switches the events off and on, has
 * to collect as well. */
static void begin_births(void)
{
    jvmtiHeapCallbacks callbacks;

    memset(&callbacks, 0, sizeof callbacks);
    callbacks.heap_iteration_callback = older_object;
    ok((*jvmti)->ForceGarbageCollection(jvmti), "ForceGarbageCollection");
    ok((*jvmti)->IterateThroughHeap(jvmti, JVMTI_HEAP_FILTER_TAGGED, NULL, &callbacks, NULL), "IterateThroughHeap");
}
@end
@if OBJECT_FREE

@about OBJECT_FREE
static void object_free(jlong id)
{
    (void)id;
    count(OBJECT_FREE);
}
@end
@if ObjectFree

/* No JNI in here. From JDK 17 on HotSpot tells of deaths after the collection, on a thread of its own. */
static void JNICALL on_ObjectFree(jvmtiEnv *env, jlong tag)
{
    (void)env;
@if births
    if (tag < 0)
        return; /* the second entry of a clone */
@end
@if CLASS_UNLOAD
    if ((tag & CLASS_BIT) != 0)
        class_unload(tag);
@end
@if OBJECT_FREE
    object_free(tag);
@end
}
@end

@if HEAP_DUMP

/* No JNI in here, and hardly anything of JVMTI. The tags are the ids; fields and arrays have callbacks of their own
 * (primitive_field_callback, array_primitive_value_callback, string_primitive_value_callback). */
static jint JNICALL heap_reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info, jlong class_tag,
                                   jlong referrer_class_tag, jlong size, jlong *tag, jlong *referrer_tag, jint length,
                                   void *references)
{
    (void)kind, (void)info, (void)class_tag, (void)referrer_class_tag, (void)size, (void)tag, (void)length;
    (void)referrer_tag; /* NULL: kind is that of a root */
    ++*(long long *)references;
    return JVMTI_VISIT_OBJECTS;
}

@about HEAP_DUMP
static KEPT void heap_dump(void)
{
    jvmtiHeapCallbacks callbacks;
    long long references = 0;

    count(HEAP_DUMP);
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.heap_reference_callback = heap_reference;
    /* IterateThroughHeap instead: what nobody can reach as well, and no references. */
    ok((*jvmti)->FollowReferences(jvmti, 0, NULL, NULL, &callbacks, &references), "FollowReferences");
}
@end
@if MONITOR_DUMP

#define MONITOR_DUMP_DEPTH 64

@about MONITOR_DUMP
static KEPT void monitor_dump(JNIEnv *jni)
{
    jvmtiStackInfo *stacks = NULL;
    jint number = 0, i, j;

    count(MONITOR_DUMP);
    if (!ok((*jvmti)->GetAllStackTraces(jvmti, MONITOR_DUMP_DEPTH, &stacks, &number), "GetAllStackTraces"))
        return;
    for (i = 0; i < number; i++) {
        jthread thread = stacks[i].thread;
        jvmtiMonitorStackDepthInfo *owned = NULL;
        jobject awaited = NULL;
        jint owns = 0;

        /* Here: stacks[i].state, stacks[i].frame_buffer. A thread may have ended meanwhile. */
        if ((*jvmti)->GetOwnedMonitorStackDepthInfo(jvmti, thread, &owns, &owned) == JVMTI_ERROR_NONE) {
            for (j = 0; j < owns; j++) {
                jvmtiMonitorUsage usage;

                if (ok((*jvmti)->GetObjectMonitorUsage(jvmti, owned[j].monitor, &usage), "GetObjectMonitorUsage")) {
                    /* Here: usage.owner, usage.entry_count, usage.waiters, usage.notify_waiters. */
                    release(usage.waiters);
                    release(usage.notify_waiters);
                }
                (*jni)->DeleteLocalRef(jni, owned[j].monitor);
            }
            release(owned);
        }
        if ((*jvmti)->GetCurrentContendedMonitor(jvmti, thread, &awaited) == JVMTI_ERROR_NONE)
            (*jni)->DeleteLocalRef(jni, awaited);
        (*jni)->DeleteLocalRef(jni, thread);
    }
    release(stacks);
}
@end
@if OBJECT_DUMP

@about OBJECT_DUMP
static KEPT void object_dump(JNIEnv *jni, jobject object)
{
    jclass class = (*jni)->GetObjectClass(jni, object);

    count(OBJECT_DUMP);
    /* The fields of each superclass are asked for by themselves; an array has none. */
    while (class != NULL) {
        jclass above = (*jni)->GetSuperclass(jni, class);
        jfieldID *fields = NULL;
        jint number = 0;

        if ((*jvmti)->GetClassFields(jvmti, class, &number, &fields) == JVMTI_ERROR_NONE) {
            /* Here: GetFieldName, GetFieldModifiers (0x8: static), then JNI's Get<Type>Field. */
            release(fields);
        }
        (*jni)->DeleteLocalRef(jni, class);
        class = above;
    }
}
@end

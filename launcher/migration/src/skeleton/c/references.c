@if JNI_GLOBALREF_ALLOC

@about JNI_GLOBALREF_ALLOC
static void jni_globalref_alloc(JNIEnv *jni, jobject object, jobject reference)
{
    (void)jni, (void)object, (void)reference;
    count(JNI_GLOBALREF_ALLOC);
}

static jobject(JNICALL *new_global_ref)(JNIEnv *jni, jobject object);

static jobject JNICALL on_NewGlobalRef(JNIEnv *jni, jobject object)
{
    jobject reference = new_global_ref(jni, object);

    if (reference != NULL)
        jni_globalref_alloc(jni, object, reference);
    return reference;
}
@end
@if JNI_GLOBALREF_FREE

@about JNI_GLOBALREF_FREE
static void jni_globalref_free(JNIEnv *jni, jobject reference)
{
    (void)jni, (void)reference;
    count(JNI_GLOBALREF_FREE);
}

static void(JNICALL *delete_global_ref)(JNIEnv *jni, jobject reference);

static void JNICALL on_DeleteGlobalRef(JNIEnv *jni, jobject reference)
{
    /* Before it is gone: afterwards another thread may have it. */
    if (reference != NULL)
        jni_globalref_free(jni, reference);
    delete_global_ref(jni, reference);
}
@end
@if JNI_WEAK_GLOBALREF_ALLOC

@about JNI_WEAK_GLOBALREF_ALLOC
static void jni_weak_globalref_alloc(JNIEnv *jni, jobject object, jweak reference)
{
    (void)jni, (void)object, (void)reference;
    count(JNI_WEAK_GLOBALREF_ALLOC);
}

static jweak(JNICALL *new_weak_global_ref)(JNIEnv *jni, jobject object);

static jweak JNICALL on_NewWeakGlobalRef(JNIEnv *jni, jobject object)
{
    jweak reference = new_weak_global_ref(jni, object);

    if (reference != NULL)
        jni_weak_globalref_alloc(jni, object, reference);
    return reference;
}
@end
@if JNI_WEAK_GLOBALREF_FREE

@about JNI_WEAK_GLOBALREF_FREE
static void jni_weak_globalref_free(JNIEnv *jni, jweak reference)
{
    (void)jni, (void)reference;
    count(JNI_WEAK_GLOBALREF_FREE);
}

static void(JNICALL *delete_weak_global_ref)(JNIEnv *jni, jweak reference);

static void JNICALL on_DeleteWeakGlobalRef(JNIEnv *jni, jweak reference)
{
    if (reference != NULL)
        jni_weak_globalref_free(jni, reference);
    delete_weak_global_ref(jni, reference);
}
@end
@if VMStart

/* JNI works from here on. What is in the table already is kept and called: it may be another agent's. */
static void JNICALL on_VMStart(jvmtiEnv *env, JNIEnv *jni)
{
    jniNativeInterface *table = NULL;

    (void)env, (void)jni;
    if (!ok((*jvmti)->GetJNIFunctionTable(jvmti, &table), "GetJNIFunctionTable"))
        return;
@if JNI_GLOBALREF_ALLOC
    new_global_ref = table->NewGlobalRef;
    table->NewGlobalRef = on_NewGlobalRef;
@end
@if JNI_GLOBALREF_FREE
    delete_global_ref = table->DeleteGlobalRef;
    table->DeleteGlobalRef = on_DeleteGlobalRef;
@end
@if JNI_WEAK_GLOBALREF_ALLOC
    new_weak_global_ref = table->NewWeakGlobalRef;
    table->NewWeakGlobalRef = on_NewWeakGlobalRef;
@end
@if JNI_WEAK_GLOBALREF_FREE
    delete_weak_global_ref = table->DeleteWeakGlobalRef;
    table->DeleteWeakGlobalRef = on_DeleteWeakGlobalRef;
@end
    ok((*jvmti)->SetJNIFunctionTable(jvmti, table), "SetJNIFunctionTable");
    release(table);
}
@end

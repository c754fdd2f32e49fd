@if CLASS_LOAD

@about CLASS_LOAD
static void class_load(JNIEnv *jni, jclass class)
{
    char *signature = NULL, *source = NULL, *name, *descriptor;
    jmethodID *methods = NULL;
    jfieldID *fields = NULL;
    jint number = 0, status = 0, i;

    (void)jni;
    count(CLASS_LOAD);
    if (ok((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL), "GetClassSignature"))
        release(signature);
    if ((*jvmti)->GetSourceFileName(jvmti, class, &source) == JVMTI_ERROR_NONE) /* it may have none */
        release(source);
    /* Only these have members: an array has none, and that of a class that is not prepared no status. */
    if ((*jvmti)->GetClassStatus(jvmti, class, &status) != JVMTI_ERROR_NONE || (status & JVMTI_CLASS_STATUS_PREPARED) == 0)
        return;
    if (ok((*jvmti)->GetClassMethods(jvmti, class, &number, &methods), "GetClassMethods")) {
        for (i = 0; i < number; i++)
            if (ok((*jvmti)->GetMethodName(jvmti, methods[i], &name, &descriptor, NULL), "GetMethodName")) {
                /* Here: method_name, method_signature; GetLineNumberTable has start_lineno and end_lineno. */
                release(name);
                release(descriptor);
            }
        release(methods);
    }
    if (ok((*jvmti)->GetClassFields(jvmti, class, &number, &fields), "GetClassFields")) {
        for (i = 0; i < number; i++)
            if (ok((*jvmti)->GetFieldName(jvmti, class, fields[i], &name, &descriptor, NULL), "GetFieldName")) {
                /* Here: field_name, field_signature; GetFieldModifiers tells static ones (0x8). */
                release(name);
                release(descriptor);
            }
        release(fields);
    }
}
@end
@if classes

/* Tags a class, and tells of it once: as many loaded classes as events may come upon it. */
static void class_seen(JNIEnv *jni, jclass class)
{
    jlong tag = 0;
    int is_new;

    (void)jni;
    if (!is_wanted(class))
        return;
    enter(known);
    is_new = ok((*jvmti)->GetTag(jvmti, class, &tag), "GetTag") && (tag & CLASS_BIT) == 0 &&
             ok((*jvmti)->SetTag(jvmti, class, new_id() | CLASS_BIT), "SetTag");
    leave(known);
@if CLASS_LOAD
    if (is_new)
        class_load(jni, class);
@else
    (void)is_new;
@end
}

/* Not ClassLoad: then there are no members yet. */
static void JNICALL on_ClassPrepare(jvmtiEnv *env, JNIEnv *jni, jthread thread, jclass class)
{
    (void)env, (void)thread;
    class_seen(jni, class);
}

/* Classes that are older than the events, and arrays, of which no event tells: at VMInit, as JVMPI's hosts told
 * of them before JVM_INIT_DONE; and once more at the end, for the arrays that were made meanwhile. */
static void loaded_classes(JNIEnv *jni)
{
    jclass *classes;
    jint number, i;

    if (!ok((*jvmti)->GetLoadedClasses(jvmti, &number, &classes), "GetLoadedClasses"))
        return;
    for (i = 0; i < number; i++) {
        jint status = 0;

        if (ok((*jvmti)->GetClassStatus(jvmti, classes[i], &status), "GetClassStatus") &&
            (status & (JVMTI_CLASS_STATUS_PREPARED | JVMTI_CLASS_STATUS_ARRAY)) != 0)
            class_seen(jni, classes[i]);
        (*jni)->DeleteLocalRef(jni, classes[i]);
    }
    release(classes);
}
@end
@if CLASS_UNLOAD

@about CLASS_UNLOAD
static void class_unload(jlong id)
{
    (void)id;
    count(CLASS_UNLOAD);
}
@end
@if CLASS_LOAD_HOOK

@about CLASS_LOAD_HOOK
static void class_load_hook(JNIEnv *jni, const char *name, jint length, const unsigned char *data)
{
    (void)jni, (void)name, (void)length, (void)data;
    count(CLASS_LOAD_HOOK);
}

static void JNICALL on_ClassFileLoadHook(jvmtiEnv *env, JNIEnv *jni, jclass redefined, jobject loader, const char *name,
                                         jobject domain, jint length, const unsigned char *data, jint *new_length,
                                         unsigned char **new_data)
{
    (void)env, (void)redefined, (void)loader, (void)domain;
    class_load_hook(jni, name, length, data);
    /* Who changes a class sets these, with memory from Allocate; left alone they change nothing. */
    (void)new_length, (void)new_data;
}

/* Classes that are older than the events: the hook comes when they are transformed again. */
static void transform_loaded_classes(JNIEnv *jni)
{
    jclass *classes;
    jint number, i;

    if (!ok((*jvmti)->GetLoadedClasses(jvmti, &number, &classes), "GetLoadedClasses"))
        return;
    for (i = 0; i < number; i++) {
        jboolean modifiable = JNI_FALSE;

        /* One by one: a class that is refused must not keep the others out. */
        if ((*jvmti)->IsModifiableClass(jvmti, classes[i], &modifiable) == JVMTI_ERROR_NONE && modifiable)
            (*jvmti)->RetransformClasses(jvmti, 1, &classes[i]);
        (*jni)->DeleteLocalRef(jni, classes[i]);
    }
    release(classes);
}
@end

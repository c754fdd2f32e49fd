@if METHOD_ENTRY

@about METHOD_ENTRY
static void method_entry(JNIEnv *jni, jthread thread, jmethodID method)
{
    (void)jni, (void)thread, (void)method;
    count(METHOD_ENTRY);
}
@end
@if METHOD_ENTRY2

@about METHOD_ENTRY2
static void method_entry2(JNIEnv *jni, jthread thread, jmethodID method)
{
    jobject receiver = NULL;
    jint modifiers = 0;

    (void)thread;
    count(METHOD_ENTRY2);
    if (ok((*jvmti)->GetMethodModifiers(jvmti, method, &modifiers), "GetMethodModifiers") && (modifiers & 0x8) == 0)
        ok((*jvmti)->GetLocalInstance(jvmti, NULL, 0, &receiver), "GetLocalInstance");
    /* Here: receiver, NULL in static methods. */
    (*jni)->DeleteLocalRef(jni, receiver);
}
@end
@if MethodEntry

/* HotSpot interprets everything while this is on: some hundred times slower. Rewriting bytecode in
 * ClassFileLoadHook costs a tenth of it. */
static void JNICALL on_MethodEntry(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method)
{
    (void)env;
    if (!is_wanted_method(jni, method))
        return;
@if METHOD_ENTRY
    method_entry(jni, thread, method);
@end
@if METHOD_ENTRY2
    method_entry2(jni, thread, method);
@end
}
@end
@if METHOD_EXIT

@about METHOD_EXIT
static void method_exit(JNIEnv *jni, jthread thread, jmethodID method)
{
    (void)jni, (void)thread, (void)method;
    count(METHOD_EXIT);
}

/* JVMTI tells as well what the method returns, unless an exception ends it. As dear as MethodEntry, and holding its
 * capability makes exceptions some three times slower. */
static void JNICALL on_MethodExit(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method, jboolean by_exception,
                                  jvalue result)
{
    (void)env, (void)by_exception, (void)result;
    if (is_wanted_method(jni, method))
        method_exit(jni, thread, method);
}
@end
@if INSTRUCTION_START

@about INSTRUCTION_START
static void instruction_start(JNIEnv *jni, jthread thread, jmethodID method, jlocation location)
{
    (void)jni, (void)thread, (void)method, (void)location;
    count(INSTRUCTION_START);
}

/* A loop takes a thousand times as long while this is on; probes in the bytecode, one for each branch, do not. */
static void JNICALL on_SingleStep(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method, jlocation location)
{
    (void)env;
    if (is_wanted_method(jni, method))
        instruction_start(jni, thread, method, location);
}
@end
@if COMPILED_METHOD_LOAD

@about COMPILED_METHOD_LOAD
static void compiled_method_load(jmethodID method, const void *address, jint size)
{
    (void)method, (void)address, (void)size;
    count(COMPILED_METHOD_LOAD);
}

static void JNICALL on_CompiledMethodLoad(jvmtiEnv *env, jmethodID method, jint size, const void *address, jint length,
                                          const jvmtiAddrLocationMap *map, const void *inlined)
{
    (void)env, (void)length, (void)map, (void)inlined;
    compiled_method_load(method, address, size);
}
@end
@if COMPILED_METHOD_UNLOAD

@about COMPILED_METHOD_UNLOAD
static void compiled_method_unload(jmethodID method, const void *address)
{
    (void)method, (void)address;
    count(COMPILED_METHOD_UNLOAD);
}

static void JNICALL on_CompiledMethodUnload(jvmtiEnv *env, jmethodID method, const void *address)
{
    (void)env;
    compiled_method_unload(method, address);
}
@end

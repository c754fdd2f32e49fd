/* A port to JVMTI, in two steps, of an agent that counts what each thread has run (legacy-agents/examples/counter.c):
 * its threads, and with -DMETHODS its methods. Without them xrun compare says what is missing.
 *
 *     cc -shared -fPIC -I "$JAVA_HOME/include" -I "$JAVA_HOME/include/linux" -o libport.so port.c
 *     java -agentpath:./libport.so App */
#include <jvmti.h>
#include <stddef.h>
#include <stdio.h>

/* THREAD_START: of JVMTI's event the thread is an argument, and its name has to be asked for. */
static void JNICALL thread_start(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    jvmtiThreadInfo info;

    if ((*jvmti)->GetThreadInfo(jvmti, thread, &info) == JVMTI_ERROR_NONE)
        (*jvmti)->Deallocate(jvmti, (unsigned char *)info.name);
}

#ifdef METHODS
static __thread long entered;

/* METHOD_ENTRY. */
static void JNICALL method_entry(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jmethodID method)
{
    entered++;
}
#endif

/* THREAD_END: on the thread that ends. */
static void JNICALL thread_end(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
#ifdef METHODS
    fprintf(stderr, "%ld methods\n", entered);
#endif
}

/* JVM_INIT_DONE. Threads that are older have no event: JVMPI told of them before. */
static void JNICALL vm_init(jvmtiEnv *jvmti, JNIEnv *env, jthread main_thread)
{
    jthread *threads;
    jint count, i;

    if ((*jvmti)->GetAllThreads(jvmti, &count, &threads) != JVMTI_ERROR_NONE)
        return;
    for (i = 0; i < count; i++)
        thread_start(jvmti, env, threads[i]);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)threads);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    static const jvmtiEvent events[] = {
        JVMTI_EVENT_VM_INIT, JVMTI_EVENT_THREAD_START, JVMTI_EVENT_THREAD_END,
#ifdef METHODS
        JVMTI_EVENT_METHOD_ENTRY,
#endif
    };
    jvmtiEventCallbacks callbacks = { .VMInit = vm_init, .ThreadStart = thread_start, .ThreadEnd = thread_end };
    jvmtiEnv *jvmti;
    size_t i;

    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) != JNI_OK)
        return JNI_ERR;
#ifdef METHODS
    /* What JVMPI had for everybody has to be asked for. */
    callbacks.MethodEntry = method_entry;
    if ((*jvmti)->AddCapabilities(jvmti, &(jvmtiCapabilities){ .can_generate_method_entry_events = 1 }) != JVMTI_ERROR_NONE)
        return JNI_ERR;
#endif
    if ((*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) != JVMTI_ERROR_NONE)
        return JNI_ERR;
    for (i = 0; i < sizeof events / sizeof *events; i++)
        if ((*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, events[i], NULL) != JVMTI_ERROR_NONE)
            return JNI_ERR;
    return JNI_OK;
}

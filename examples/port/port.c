/* The beginning of a port to JVMTI: the threads of an agent that counts what each has run
 * (legacy-agents/examples/counter.c). What it has of methods so far is nothing: xrun compare says so.
 *
 *     cc -shared -fPIC -I "$JAVA_HOME/include" -I "$JAVA_HOME/include/linux" -o libport.so port.c
 *     java -agentpath:./libport.so App */
#include <jvmti.h>
#include <stddef.h>

/* THREAD_START: of JVMTI's event the thread is an argument, and its name has to be asked for. */
static void JNICALL thread_start(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    jvmtiThreadInfo info;

    if ((*jvmti)->GetThreadInfo(jvmti, thread, &info) == JVMTI_ERROR_NONE)
        (*jvmti)->Deallocate(jvmti, (unsigned char *)info.name);
}

static void JNICALL thread_end(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
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
    static const jvmtiEvent events[] = { JVMTI_EVENT_VM_INIT, JVMTI_EVENT_THREAD_START, JVMTI_EVENT_THREAD_END };
    jvmtiEventCallbacks callbacks = { .VMInit = vm_init, .ThreadStart = thread_start, .ThreadEnd = thread_end };
    jvmtiEnv *jvmti;
    size_t i;

    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) != JNI_OK)
        return JNI_ERR;
    if ((*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) != JVMTI_ERROR_NONE)
        return JNI_ERR;
    for (i = 0; i < sizeof events / sizeof *events; i++)
        if ((*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, events[i], NULL) != JVMTI_ERROR_NONE)
            return JNI_ERR;
    return JNI_OK;
}

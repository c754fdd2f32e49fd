@if storage

/* ---- A thread's own data: JVMTI's thread local storage, NULL until it is set, as it was in JVMPI ---- */

struct thread_data {
    int told; /* THREAD_START was */
@if SetThreadLocalStorage GetThreadLocalStorage
    long long events; /* here goes what the old agent kept for each thread */
@end
@if ThreadHasRun
    jlong cpu_time; /* at the last look */
@end
};

/* NULL: the current thread. A thread that has none yet gets some. Who looks at another thread's has entered `known`
 * meanwhile: it is freed when that ends. */
static KEPT struct thread_data *data_of(jthread thread)
{
    void *data = NULL;

    enter(known);
    if (ok((*jvmti)->GetThreadLocalStorage(jvmti, thread, &data), "GetThreadLocalStorage") && data == NULL) {
        data = calloc(1, sizeof(struct thread_data));
        if ((*jvmti)->SetThreadLocalStorage(jvmti, thread, data) != JVMTI_ERROR_NONE) {
            free(data); /* it has just ended */
            data = NULL;
        }
    }
    leave(known);
    return data;
}
@end
@if THREAD_START

@about THREAD_START
static void thread_start(JNIEnv *jni, jthread thread)
{
    jvmtiThreadInfo info;

    count(THREAD_START);
    if (!ok((*jvmti)->GetThreadInfo(jvmti, thread, &info), "GetThreadInfo"))
        return;
    /* Here: info.name, info.thread_group, info.is_daemon. */
    release(info.name);
    (*jni)->DeleteLocalRef(jni, info.thread_group);
    (*jni)->DeleteLocalRef(jni, info.context_class_loader);
}

/* Tells of each thread once, whether its event comes first or the list of VMInit. */
static void thread_seen(JNIEnv *jni, jthread thread)
{
    struct thread_data *data;
    int is_new = 0;

    enter(known);
    data = data_of(thread);
    if (data != NULL) {
        is_new = !data->told;
        data->told = 1;
    }
    leave(known);
    if (is_new)
        thread_start(jni, thread);
}

static void JNICALL on_ThreadStart(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    (void)env;
    thread_seen(jni, thread);
}

/* Threads that have started before VMInit: JVMPI's hosts told of them before JVM_INIT_DONE. */
static void older_threads(JNIEnv *jni)
{
    jthread *threads;
    jint number, i;

    if (!ok((*jvmti)->GetAllThreads(jvmti, &number, &threads), "GetAllThreads"))
        return;
    for (i = 0; i < number; i++) {
        thread_seen(jni, threads[i]);
        (*jni)->DeleteLocalRef(jni, threads[i]);
    }
    release(threads);
}
@end
@if THREAD_END

@about THREAD_END
static void thread_end(JNIEnv *jni, jthread thread)
{
    (void)jni, (void)thread;
    count(THREAD_END);
}
@end
@if ThreadEnd

static void JNICALL on_ThreadEnd(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
@if storage
    void *data = NULL;

@end
    (void)env, (void)jni, (void)thread;
@if THREAD_END
    thread_end(jni, thread);
@end
@if storage
    /* Nothing comes on this thread any more. */
    enter(known);
    if ((*jvmti)->GetThreadLocalStorage(jvmti, thread, &data) == JVMTI_ERROR_NONE && data != NULL) {
        ok((*jvmti)->SetThreadLocalStorage(jvmti, thread, NULL), "SetThreadLocalStorage");
        free(data);
    }
    leave(known);
@end
}
@end

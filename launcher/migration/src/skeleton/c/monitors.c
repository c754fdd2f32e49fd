@if MONITOR_CONTENDED_ENTER

@about MONITOR_CONTENDED_ENTER
static void monitor_contended_enter(JNIEnv *jni, jthread thread, jobject object)
{
    (void)jni, (void)thread, (void)object;
    count(MONITOR_CONTENDED_ENTER);
}

static void JNICALL on_MonitorContendedEnter(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object)
{
    (void)env;
    monitor_contended_enter(jni, thread, object);
}
@end
@if MONITOR_CONTENDED_ENTERED

@about MONITOR_CONTENDED_ENTERED
static void monitor_contended_entered(JNIEnv *jni, jthread thread, jobject object)
{
    (void)jni, (void)thread, (void)object;
    count(MONITOR_CONTENDED_ENTERED);
}

static void JNICALL on_MonitorContendedEntered(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object)
{
    (void)env;
    monitor_contended_entered(jni, thread, object);
}
@end
@if MONITOR_WAIT

@about MONITOR_WAIT
static void monitor_wait(JNIEnv *jni, jthread thread, jobject object, jlong timeout)
{
    (void)jni, (void)thread, (void)object, (void)timeout;
    count(MONITOR_WAIT);
}

static void JNICALL on_MonitorWait(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object, jlong timeout)
{
    (void)env;
    monitor_wait(jni, thread, object, timeout);
}
@end
@if MONITOR_WAITED

@about MONITOR_WAITED
static void monitor_waited(JNIEnv *jni, jthread thread, jobject object, jboolean timed_out)
{
    (void)jni, (void)thread, (void)object, (void)timed_out;
    count(MONITOR_WAITED);
}

static void JNICALL on_MonitorWaited(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object, jboolean timed_out)
{
    (void)env;
    monitor_waited(jni, thread, object, timed_out);
}
@end
@if GC_START

@about GC_START
static void gc_start(void)
{
    count(GC_START);
}

/* The VM stands still: no JNI, and of JVMTI only raw monitors, memory and GetEnvironmentLocalStorage. */
static void JNICALL on_GarbageCollectionStart(jvmtiEnv *env)
{
    (void)env;
    gc_start();
}
@end
@if GC_FINISH

@about GC_FINISH
static void gc_finish(void)
{
    count(GC_FINISH);
}

/* As above. What needs more than that is for a thread of the agent's own, which this notifies. */
static void JNICALL on_GarbageCollectionFinish(jvmtiEnv *env)
{
    (void)env;
    gc_finish();
}
@end

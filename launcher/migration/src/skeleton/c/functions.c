@if any-function

/* ---- What the agent called of JVMPI, and what is there for it ---- */

@functions
@end
@if RawMonitorCreate RawMonitorEnter RawMonitorWait

/* The agent's own monitor: one for each RawMonitorCreate, made in Agent_OnLoad. Any thread may enter it, again and
 * again. In callbacks of a collection not if a stopped thread may have it. */
static jrawMonitorID agent_monitor;
@end
@if RawMonitorWait

/* 0 ms waits without end. The caller has entered it. */
static KEPT void wait_on(jrawMonitorID monitor, jlong ms)
{
    jvmtiError error = (*jvmti)->RawMonitorWait(jvmti, monitor, ms);

    if (error != JVMTI_ERROR_INTERRUPT) /* by Thread.interrupt */
        ok(error, "RawMonitorWait");
}
@end
@if RawMonitorNotifyAll

static KEPT void notify_all(jrawMonitorID monitor)
{
    ok((*jvmti)->RawMonitorNotifyAll(jvmti, monitor), "RawMonitorNotifyAll");
}
@end
@if RawMonitorDestroy

static KEPT void destroy(jrawMonitorID monitor)
{
    ok((*jvmti)->DestroyRawMonitor(jvmti, monitor), "DestroyRawMonitor");
}
@end
@if GetCallTrace

#define CALL_TRACE_DEPTH 64

/* A bytecode index as a line; -1 unknown, -3 native, as JVMPI had it. */
static jint line_of(jmethodID method, jlocation location)
{
    jvmtiLineNumberEntry *table = NULL;
    jint number = 0, line = -1, i;

    if (location < 0)
        return -3;
    if ((*jvmti)->GetLineNumberTable(jvmti, method, &number, &table) != JVMTI_ERROR_NONE)
        return -1;
    /* Not in order: the last one that begins before it. */
    {
        jlocation best = -1;

        for (i = 0; i < number; i++)
            if (table[i].start_location <= location && table[i].start_location > best) {
                best = table[i].start_location;
                line = table[i].line_number;
            }
    }
    release(table);
    return line;
}

/* GetCallTrace: callee first; NULL is the current thread. */
static KEPT void call_trace(jthread thread)
{
    jvmtiFrameInfo frames[CALL_TRACE_DEPTH];
    jint number = 0, i;

    if (!ok((*jvmti)->GetStackTrace(jvmti, thread, 0, CALL_TRACE_DEPTH, frames, &number), "GetStackTrace"))
        return;
    for (i = 0; i < number; i++) {
        jint line = line_of(frames[i].method, frames[i].location);

        /* Here: frames[i].method, line. */
        (void)line;
    }
}
@if samples

/*
 * The old agent asked for stacks outside of its handlers: those of the threads that run, all at one moment. HotSpot
 * counts a thread that waits in native code, for a socket say, among them.
 */
static void take_stacks(JNIEnv *jni)
{
    jvmtiStackInfo *stacks = NULL;
    jint number = 0, i;

    if (!ok((*jvmti)->GetAllStackTraces(jvmti, CALL_TRACE_DEPTH, &stacks, &number), "GetAllStackTraces"))
        return;
    for (i = 0; i < number; i++) {
        if ((stacks[i].state & JVMTI_THREAD_STATE_RUNNABLE) != 0 && stacks[i].frame_count > 0) {
            /* Here: stacks[i].thread, stacks[i].frame_buffer, and line_of() for a line. */
        }
        /* A local reference each, and this thread never returns to Java. */
        (*jni)->DeleteLocalRef(jni, stacks[i].thread);
    }
    release(stacks);
}
@end
@end
@if GetCurrentThreadCpuTime

static KEPT jlong cpu_time(void)
{
    jlong nanoseconds = 0;

    ok((*jvmti)->GetCurrentThreadCpuTime(jvmti, &nanoseconds), "GetCurrentThreadCpuTime");
    return nanoseconds;
}
@end
@if ids storage
@if SuspendThread SuspendThreadList

/*
 * A thread is stopped wherever it calls the VM: also in a callback, with `known` or another monitor of the agent's, and
 * whoever looks at it then waits for that for ever. So this thread has `known` while it stops others: they do not have
 * it then, and cannot get it until they go on. It leaves it at once, since nobody stopped has it, and threads that run
 * want it. The agent's other monitors that callbacks enter are to be entered here as well, and no thread stops itself.
 */
@end
@end
@if SuspendThread

static KEPT int suspend_thread(jthread thread)
{
    int done;

@if ids storage
    enter(known);
@end
    done = ok((*jvmti)->SuspendThread(jvmti, thread), "SuspendThread");
@if ids storage
    leave(known);
@end
    return done;
}
@end
@if ResumeThread

static KEPT int resume_thread(jthread thread)
{
    return ok((*jvmti)->ResumeThread(jvmti, thread), "ResumeThread");
}
@end
@if SuspendThreadList

static KEPT int suspend_threads(jint number, const jthread *threads, jvmtiError *results)
{
    int done;

@if ids storage
    enter(known);
@end
    done = ok((*jvmti)->SuspendThreadList(jvmti, number, threads, results), "SuspendThreadList");
@if ids storage
    leave(known);
@end
    return done;
}
@end
@if ResumeThreadList

static KEPT int resume_threads(jint number, const jthread *threads, jvmtiError *results)
{
    return ok((*jvmti)->ResumeThreadList(jvmti, number, threads, results), "ResumeThreadList");
}
@end
@if GetThreadStatus

/* As JVMPI had it: 1 runnable, 2 waits to enter a monitor, 3 waits or sleeps; 0x8000 suspended, 0x4000 interrupted. */
static KEPT jint thread_status(jthread thread)
{
    jint state = 0, status;

    if (!ok((*jvmti)->GetThreadState(jvmti, thread, &state), "GetThreadState"))
        return -1;
    if ((state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER) != 0)
        status = 2;
    else if ((state & JVMTI_THREAD_STATE_WAITING) != 0)
        status = 3;
    else
        status = 1;
    if ((state & JVMTI_THREAD_STATE_SUSPENDED) != 0)
        status |= 0x8000;
    if ((state & JVMTI_THREAD_STATE_INTERRUPTED) != 0)
        status |= 0x4000;
    return status;
}
@end
@if ThreadHasRun

/* Whether a thread has used the processor since the last look. */
static KEPT int thread_has_run(jthread thread)
{
    struct thread_data *data;
    jlong now = 0;
    int has_run = 0;

    if (!ok((*jvmti)->GetThreadCpuTime(jvmti, thread, &now), "GetThreadCpuTime"))
        return 0;
    enter(known);
    data = data_of(thread);
    if (data != NULL) {
        has_run = now != data->cpu_time;
        data->cpu_time = now;
    }
    leave(known);
    return has_run;
}
@end
@if CreateSystemThread

static jrawMonitorID thread_monitor; /* the agent's thread sleeps on it */
static int ending;                   /* under it */

static void JNICALL agent_thread(jvmtiEnv *env, JNIEnv *jni, void *argument)
{
    int stop = 0;

    (void)env, (void)jni, (void)argument;
    while (!stop) {
@if samples
        take_stacks(jni);
@end
        /* Here goes what the old agent's thread did; 10 ms are an example. */
        enter(thread_monitor);
        if (!ending)
            (*jvmti)->RawMonitorWait(jvmti, thread_monitor, 10);
        stop = ending;
        leave(thread_monitor);
    }
}

@if thread-starts
/* A java.lang.Thread that is made and not started; from VMInit on. */
@else
/* A java.lang.Thread that is made and not started; from VMInit on. Nothing calls it yet: the old agent made its thread
 * elsewhere than in JVM_INIT_DONE. */
@end
static KEPT void start_agent_thread(JNIEnv *jni)
{
    jclass class = (*jni)->FindClass(jni, "java/lang/Thread");
    jmethodID make = class == NULL ? NULL : (*jni)->GetMethodID(jni, class, "<init>", "(Ljava/lang/String;)V");
    jstring name = make == NULL ? NULL : (*jni)->NewStringUTF(jni, "agent");
    jobject thread = name == NULL ? NULL : (*jni)->NewObject(jni, class, make, name);

    if (thread == NULL || (*jni)->ExceptionCheck(jni)) {
        (*jni)->ExceptionClear(jni);
        return;
    }
    ok((*jvmti)->RunAgentThread(jvmti, thread, agent_thread, NULL, JVMTI_THREAD_MAX_PRIORITY), "RunAgentThread");
    (*jni)->DeleteLocalRef(jni, thread);
    (*jni)->DeleteLocalRef(jni, name);
    (*jni)->DeleteLocalRef(jni, class);
}

static void stop_agent_thread(void)
{
    enter(thread_monitor);
    ending = 1;
    ok((*jvmti)->RawMonitorNotifyAll(jvmti, thread_monitor), "RawMonitorNotifyAll");
    leave(thread_monitor);
}
@end
@if RunGC

static KEPT void run_gc(void)
{
    ok((*jvmti)->ForceGarbageCollection(jvmti), "ForceGarbageCollection");
}
@end
@if GetThreadObject

/* A local reference; the events pass it as well. */
static KEPT jthread this_thread(void)
{
    jthread thread = NULL;

    ok((*jvmti)->GetCurrentThread(jvmti, &thread), "GetCurrentThread");
    return thread;
}
@end
@if GetMethodClass

/* A local reference. */
static KEPT jclass class_of(jmethodID method)
{
    jclass class = NULL;

    ok((*jvmti)->GetMethodDeclaringClass(jvmti, method, &class), "GetMethodDeclaringClass");
    return class;
}
@end
@if jobject2jobjectID

/* The id of an object, which gets one if it has none. */
static KEPT jlong id_of(jobject object)
{
    jlong tag = 0;

    enter(known);
    if (ok((*jvmti)->GetTag(jvmti, object, &tag), "GetTag") && tag == 0) {
        tag = new_id();
        ok((*jvmti)->SetTag(jvmti, object, tag), "SetTag");
    }
    leave(known);
    return tag < 0 ? -tag : tag;
}
@end
@if jobjectID2jobject

/* A local reference, NULL if it is gone. In time proportional to all tags: a weak global reference is better. */
static KEPT jobject object_of(jlong id)
{
    jobject *found = NULL, object = NULL;
    jint number = 0;

    if (ok((*jvmti)->GetObjectsWithTags(jvmti, 1, &id, &number, &found, NULL), "GetObjectsWithTags")) {
        if (number > 0)
            object = found[0];
        release(found);
    }
    return object;
}
@end

/* What an agent of the period does for cpu=times: at METHOD_ENTRY and METHOD_EXIT it reads the
 * thread's CPU clock, finds the method by its id, and under one lock of its own counts a call and
 * its time at the trace of the methods on its stack (four of them). It prints how many calls and
 * traces it saw. */
#include <jni.h>
#include <jvmpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 4, BUCKETS = 1 << 16, FRAMES = 1 << 16 };

struct frame {
    jmethodID method;
    jlong entered, below;
};

struct stack {
    int depth;
    struct frame frames[FRAMES];
};

struct trace {
    struct trace *next;
    jmethodID methods[DEPTH];
    long calls;
    jlong time;
};

static JVMPI_Interface *jvmpi;
static JVMPI_RawMonitor lock;
static struct trace *traces[BUCKETS];
static long calls, kinds;

static struct stack *stack_of(JNIEnv *env)
{
    struct stack *stack = jvmpi->GetThreadLocalStorage(env);

    if (stack == NULL) {
        stack = calloc(1, sizeof *stack);
        jvmpi->SetThreadLocalStorage(env, stack);
    }
    return stack;
}

/* Of the frame that has just gone, and those below it. */
static struct trace *trace_of(const struct stack *stack)
{
    jmethodID methods[DEPTH] = { 0 };
    struct trace *trace;
    size_t hash = 0;
    int i;

    for (i = 0; i < DEPTH && i <= stack->depth; i++) {
        methods[i] = stack->frames[stack->depth - i].method;
        hash = hash * 37 + ((size_t)methods[i] >> 3);
    }
    for (trace = traces[hash % BUCKETS]; trace != NULL; trace = trace->next)
        if (memcmp(trace->methods, methods, sizeof methods) == 0)
            return trace;
    trace = calloc(1, sizeof *trace);
    memcpy(trace->methods, methods, sizeof methods);
    trace->next = traces[hash % BUCKETS];
    traces[hash % BUCKETS] = trace;
    kinds++;
    return trace;
}

static void entered(JNIEnv *env, jmethodID method)
{
    struct stack *stack = stack_of(env);

    if (stack->depth < FRAMES) {
        struct frame *frame = &stack->frames[stack->depth];

        frame->method = method;
        frame->below = 0;
        frame->entered = jvmpi->GetCurrentThreadCpuTime();
    }
    stack->depth++;
}

static void left(JNIEnv *env)
{
    struct stack *stack = stack_of(env);
    struct trace *trace;
    jlong took;

    if (stack->depth == 0 || --stack->depth >= FRAMES)
        return;
    took = jvmpi->GetCurrentThreadCpuTime() - stack->frames[stack->depth].entered;
    jvmpi->RawMonitorEnter(lock);
    trace = trace_of(stack);
    trace->calls++;
    trace->time += took - stack->frames[stack->depth].below;
    calls++;
    jvmpi->RawMonitorExit(lock);
    if (stack->depth > 0)
        stack->frames[stack->depth - 1].below += took;
}

static void notify(JVMPI_Event *event)
{
    switch (event->event_type) {
    case JVMPI_EVENT_METHOD_ENTRY:
        entered(event->env_id, event->u.method.method_id);
        break;
    case JVMPI_EVENT_METHOD_EXIT:
        left(event->env_id);
        break;
    case JVMPI_EVENT_THREAD_END:
        free(jvmpi->GetThreadLocalStorage(event->env_id));
        jvmpi->SetThreadLocalStorage(event->env_id, NULL);
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        fprintf(stderr, "%ld calls, %ld traces\n", calls, kinds);
        break;
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) != JNI_OK)
        return JNI_ERR;
    jvmpi->NotifyEvent = notify;
    lock = jvmpi->RawMonitorCreate("_period_times");
    jvmpi->EnableEvent(JVMPI_EVENT_THREAD_END, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_SHUT_DOWN, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_METHOD_EXIT, NULL);
    return JNI_OK;
}

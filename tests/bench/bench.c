/* The same work twice: through JVMPI, and through the JVMTI calls below it. */
#include <jni.h>
#include <jvmti.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "jvmpi.h"

#define MAX_THREADS 4096
#define MAX_DEPTH 1024

static jvmtiEnv *jvmti;
static JVMPI_Interface *jvmpi;

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* THREAD_START tells which env belongs to which thread. */
static struct { char name[64]; JNIEnv *env; } known[MAX_THREADS];
static int count;

static void notify(JVMPI_Event *event) {
    if ((event->event_type & ~JVMPI_REQUESTED_EVENT) == JVMPI_EVENT_THREAD_START) {
        int at = __sync_fetch_and_add(&count, 1);
        if (at < MAX_THREADS) {
            strncpy(known[at].name, event->u.thread_start.thread_name, 63);
            known[at].env = event->u.thread_start.thread_env_id;
        }
    }
}

/* -Xrunbench: an agent that enables nothing (idle), or with `threads` listens to THREAD_START. */
JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved) {
    (void)reserved;
    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) < 0) return JNI_ERR;
    jvmpi->NotifyEvent = notify;
    if (options != NULL) jvmpi->EnableEvent(JVMPI_EVENT_THREAD_START, NULL);
    return JNI_OK;
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
    jvmtiCapabilities wanted;
    (void)reserved;
    if (jvmpi == NULL && (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) == JNI_OK) {
        memset(&wanted, 0, sizeof wanted);
        wanted.can_suspend = wanted.can_get_thread_cpu_time = wanted.can_get_line_numbers = 1;
        (*jvmti)->AddCapabilities(jvmti, &wanted);
    }
    return JNI_VERSION_1_6;
}

JNIEXPORT jlong JNICALL Java_Bench_trace(JNIEnv *env, jclass class, jboolean ours, jint rounds, jint depth) {
    static jvmtiFrameInfo infos[MAX_DEPTH];
    static JVMPI_CallFrame frames[MAX_DEPTH];
    int64_t start = now();
    jint i, got = 0;
    (void)class;
    for (i = 0; i < rounds; i++) {
        if (ours) {
            JVMPI_CallTrace trace;
            trace.env_id = env;
            trace.frames = frames;
            jvmpi->GetCallTrace(&trace, depth);
            got += trace.num_frames;
        } else {
            jint n = 0;
            (*jvmti)->GetStackTrace(jvmti, NULL, 0, depth, infos, &n);
            got += n;
        }
    }
    return got < rounds ? -1 : now() - start;
}

#ifdef __x86_64__
#define COUNTER() __builtin_ia32_rdtsc()
#define FENCE() __builtin_ia32_lfence()
#else
#define COUNTER() 0
#define FENCE()
#endif

static int64_t cpu_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

#define READ(what) for (i = 0; i < rounds; i++) { what; }

/* Readings of the thread's clock, in CPU time, which other processes disturb less. Alone: nothing
 * before a reading is still under way when it begins, so that no part of it is hidden behind the
 * reading before. */
JNIEXPORT jlong JNICALL Java_Bench_clock(JNIEnv *env, jclass class, jint which, jint rounds) {
    volatile int64_t sum = 0;
    int64_t start = cpu_now();
    jint i;
    (void)env, (void)class;
    switch (which) {
    case 0: READ(sum += jvmpi->GetCurrentThreadCpuTime()) break;
    case 1: READ(sum += COUNTER()) break;
    case 2: READ(sum += cpu_now()) break;
    case 3: READ(FENCE(); sum += jvmpi->GetCurrentThreadCpuTime()) break;
    case 4: READ(FENCE(); sum += COUNTER()) break;
    default: READ(FENCE(); sum += i) break;
    }
    return cpu_now() - start;
}

JNIEXPORT jlong JNICALL Java_Bench_pass(JNIEnv *env, jclass class, jboolean ours, jint rounds, jobjectArray array) {
    static JNIEnv *envs[MAX_THREADS];
    static jthread threads[MAX_THREADS];
    jvmtiFrameInfo infos[32];
    JVMPI_CallFrame frames[32];
    jint n = (*env)->GetArrayLength(env, array), i, round, got = 0;
    int64_t start;
    (void)class;
    for (i = 0; i < n && !ours; i++) {
        threads[i] = (*env)->NewGlobalRef(env, (*env)->GetObjectArrayElement(env, array, i));
    }
    if (ours) {
        int at, found = 0;
        for (at = 0; at < count; at++) {
            if (strncmp(known[at].name, "parked-", 7) == 0) envs[found++] = known[at].env;
        }
        if (found != n) return -1;
    }
    start = now();
    for (round = 0; round < rounds; round++) {
        for (i = 0; i < n; i++) {
            if (ours) {
                JVMPI_CallTrace trace;
                jint status = jvmpi->GetThreadStatus(envs[i]);
                jvmpi->SuspendThread(envs[i]);
                got += status + jvmpi->ThreadHasRun(envs[i]);
                trace.env_id = envs[i];
                trace.frames = frames;
                jvmpi->GetCallTrace(&trace, 32);
                got += trace.num_frames;
                jvmpi->ResumeThread(envs[i]);
            } else {
                jint state = 0, depth = 0;
                jlong cpu = 0;
                (*jvmti)->GetThreadState(jvmti, threads[i], &state);
                (*jvmti)->SuspendThread(jvmti, threads[i]);
                (*jvmti)->GetThreadCpuTime(jvmti, threads[i], &cpu);
                (*jvmti)->GetStackTrace(jvmti, threads[i], 0, 32, infos, &depth);
                got += depth + (state != 0);
                (*jvmti)->ResumeThread(jvmti, threads[i]);
            }
        }
    }
    return got < rounds ? -1 : now() - start;
}

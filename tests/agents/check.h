/* What the tests' agents share: JVM_OnLoad, a report file, names of threads,
 * classes and methods from their defining events, and checks.
 *
 * An agent includes this file and defines
 *
 *     static void on_load(const char *options);          options is never NULL
 *     static void on_event(JVMPI_Event *event, int type); type without REQUESTED
 *     static void check(JNIEnv *env, const char *what);   called by Native.check
 *
 * The report goes to the file report.txt, one line a write, so that the
 * program's own output stays as it is. */
#ifndef CHECK_H
#define CHECK_H

#define _GNU_SOURCE
#include <fcntl.h>
#include <jni.h>
#include <jvmpi.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAYBE __attribute__((unused))

static JavaVM *vm;
static JVMPI_Interface *jvmpi;
static int report_fd = -1;

static void on_load(const char *options);
static void on_event(JVMPI_Event *event, int type);
static void check(JNIEnv *env, const char *what);

/* ---- the report ---- */

static void MAYBE say(const char *format, ...)
{
    char line[2048];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    if (length > (int)sizeof line - 2)
        length = (int)sizeof line - 2;
    line[length++] = '\n';
    if (write(report_fd, line, (size_t)length) != length)
        abort();
}

static void MAYBE verdict(int good, const char *what, long seen)
{
    if (good)
        say("ok %s", what);
    else
        say("FAIL %s: %ld (%#lx)", what, seen, seen);
}

static void MAYBE expect(const char *what, long seen, long right)
{
    if (seen == right)
        say("ok %s", what);
    else
        say("FAIL %s: %ld (%#lx), not %ld (%#lx)", what, seen, seen, right, right);
}

/* ---- time ---- */

static long MAYBE now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void MAYBE sleep_ms(long millis)
{
    struct timespec time = { millis / 1000, millis % 1000 * 1000000 };

    while (nanosleep(&time, &time) != 0) {
    }
}

/* Whether to wait on for something since `began`, 0 at first: for 20 s, as on a loaded machine; once something has been
 * waited for in vain the check has failed, and what comes later must not take it beyond the run's limit. */
static int MAYBE is_patient(long *began)
{
    enum { PATIENCE = 20000, SHORT = 200 }; /* ms */
    static volatile int in_vain;
    long now = now_ms();

    if (*began == 0)
        *began = now;
    if (now - *began < (in_vain ? SHORT : PATIENCE))
        return 1;
    in_vain = 1;
    return 0;
}

/* Burns CPU time. */
static volatile unsigned long burnt;
static void MAYBE burn_ms(long millis)
{
    long until = now_ms() + millis;

    while (now_ms() < until)
        burnt++;
}

/* ---- names ---- */

#define MAX_NAMES 20000

static pthread_mutex_t names_mutex = PTHREAD_MUTEX_INITIALIZER;

static struct known_thread {
    char name[80];
    JNIEnv *env;
    jobjectID id;
    int ended;
} threads[4000];
static int thread_count;

static struct known_method {
    char class_name[100];
    char name[60];
    jmethodID id;
    jobjectID class_id;
    jint start, end;
} *methods;
static int method_count;

static struct known_class {
    char name[120];
    jobjectID id;
} *known_classes;
static int known_class_count;

static void learn(const JVMPI_Event *event, int type)
{
    int i;

    pthread_mutex_lock(&names_mutex);
    if (type == JVMPI_EVENT_THREAD_START && thread_count < 4000) {
        struct known_thread *thread = &threads[thread_count];

        snprintf(thread->name, sizeof thread->name, "%s", event->u.thread_start.thread_name);
        thread->env = event->u.thread_start.thread_env_id;
        thread->id = event->u.thread_start.thread_id;
        if (!(event->event_type & JVMPI_REQUESTED_EVENT))
            thread_count++;
    } else if (type == JVMPI_EVENT_THREAD_END) {
        for (i = 0; i < thread_count; i++)
            if (threads[i].env == event->env_id)
                threads[i].ended = 1;
    } else if (type == JVMPI_EVENT_CLASS_LOAD && !(event->event_type & JVMPI_REQUESTED_EVENT)) {
        if (known_class_count < MAX_NAMES) {
            struct known_class *class = &known_classes[known_class_count++];

            snprintf(class->name, sizeof class->name, "%s", event->u.class_load.class_name);
            class->id = event->u.class_load.class_id;
        }
        for (i = 0; i < event->u.class_load.num_methods && method_count < MAX_NAMES; i++) {
            struct known_method *method = &methods[method_count++];

            snprintf(method->class_name, sizeof method->class_name, "%s", event->u.class_load.class_name);
            snprintf(method->name, sizeof method->name, "%s", event->u.class_load.methods[i].method_name);
            method->id = event->u.class_load.methods[i].method_id;
            method->class_id = event->u.class_load.class_id;
            method->start = event->u.class_load.methods[i].start_lineno;
            method->end = event->u.class_load.methods[i].end_lineno;
        }
    }
    pthread_mutex_unlock(&names_mutex);
}

/* The live thread of this name; waits for it for a while. */
static struct known_thread MAYBE *thread_named(const char *name)
{
    long began = 0;
    int i;

    do {
        pthread_mutex_lock(&names_mutex);
        for (i = thread_count - 1; i >= 0; i--)
            if (!threads[i].ended && strcmp(threads[i].name, name) == 0)
                break;
        pthread_mutex_unlock(&names_mutex);
        if (i >= 0)
            return &threads[i];
        sleep_ms(5);
    } while (is_patient(&began));
    say("FAIL there is no thread `%s`", name);
    return NULL;
}

/* The id of the first class of this name, NULL if no CLASS_LOAD has told of one. */
static jobjectID MAYBE id_of_class(const char *name)
{
    int i;

    for (i = 0; i < known_class_count; i++)
        if (strcmp(known_classes[i].name, name) == 0)
            return known_classes[i].id;
    return NULL;
}

/* The live thread with this JNIEnv, NULL if there is none. */
static struct known_thread MAYBE *thread_of(JNIEnv *env)
{
    int i;

    pthread_mutex_lock(&names_mutex);
    for (i = thread_count - 1; i >= 0; i--)
        if (!threads[i].ended && threads[i].env == env)
            break;
    pthread_mutex_unlock(&names_mutex);
    return i >= 0 ? &threads[i] : NULL;
}

static JNIEnv MAYBE *env_named(const char *name)
{
    struct known_thread *thread = thread_named(name);

    return thread != NULL ? thread->env : NULL;
}

static struct known_method MAYBE *method_named(const char *class_name, const char *name)
{
    struct known_method *found = NULL;
    int i;

    pthread_mutex_lock(&names_mutex);
    for (i = 0; i < method_count && found == NULL; i++)
        if (strcmp(methods[i].class_name, class_name) == 0 && strcmp(methods[i].name, name) == 0)
            found = &methods[i];
    pthread_mutex_unlock(&names_mutex);
    return found;
}

static struct known_method MAYBE *method_by_id(jmethodID id)
{
    struct known_method *found = NULL;
    int i;

    pthread_mutex_lock(&names_mutex);
    for (i = 0; i < method_count && found == NULL; i++)
        if (methods[i].id == id)
            found = &methods[i];
    pthread_mutex_unlock(&names_mutex);
    return found;
}

/* What the OBJECT_ALLOC says that class_of has asked for. */
static __thread jobjectID class_asked_for;

/* The name of an object's class, "" of one without CLASS_LOAD. */
static const char MAYBE *class_of(jobjectID object)
{
    const char *name = "";
    int i;

    class_asked_for = NULL;
    if (jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, object) != JVMPI_SUCCESS)
        say("FAIL no OBJECT_ALLOC of %p", (void *)object);
    pthread_mutex_lock(&names_mutex);
    for (i = known_class_count - 1; i >= 0; i--)
        if (known_classes[i].id == class_asked_for)
            break;
    if (i >= 0)
        name = known_classes[i].name;
    pthread_mutex_unlock(&names_mutex);
    return name;
}

/* ---- entry points ---- */

static void notify(JVMPI_Event *event)
{
    int type = event->event_type & ~JVMPI_REQUESTED_EVENT;

    learn(event, type);
    if (event->event_type == (JVMPI_EVENT_OBJECT_ALLOC | JVMPI_REQUESTED_EVENT))
        class_asked_for = event->u.obj_alloc.class_id;
    on_event(event, type);
}

static void MAYBE enable_all(const int *events)
{
    for (; *events != 0; events++)
        if (jvmpi->EnableEvent(*events, NULL) != JVMPI_SUCCESS)
            say("FAIL EnableEvent(%d)", *events);
}

JNIEXPORT void JNICALL Java_Native_check(JNIEnv *env, jclass class, jstring what);

/* A program in a VM of another width has loaded a library of that width: its calls come here all the same. */
static int take_natives(void)
{
    static JNINativeMethod method = { (char *)"check", (char *)"(Ljava/lang/String;)V", (void *)Java_Native_check };
    JNIEnv *env;
    jclass class;

    if (getenv("TAKE_NATIVES") == NULL)
        return JNI_OK;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    class = (*env)->FindClass(env, "Native");
    return class != NULL ? (*env)->RegisterNatives(env, class, &method, 1) : JNI_ERR;
}

/* An agent that wants the very pointer, NULL or not, looks here. */
static const char MAYBE *raw_options;

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *java_vm, char *options, void *reserved)
{
    vm = java_vm;
    raw_options = options;
    methods = calloc(MAX_NAMES, sizeof *methods);
    known_classes = calloc(MAX_NAMES, sizeof *known_classes);
    report_fd = open("report.txt", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (report_fd < 0 || methods == NULL || known_classes == NULL || reserved != NULL)
        return JNI_ERR;
    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1_2) != JNI_OK &&
        (*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) != JNI_OK)
        return JNI_ERR;
    jvmpi->NotifyEvent = notify;
    on_load(options != NULL ? options : "");
    return take_natives();
}

JNIEXPORT void JNICALL Java_Native_check(JNIEnv *env, jclass class, jstring what)
{
    const char *text = (*env)->GetStringUTFChars(env, what, NULL);
    char copy[200];

    snprintf(copy, sizeof copy, "%s", text);
    (*env)->ReleaseStringUTFChars(env, what, text);
    check(env, copy);
}

/* Sleeps in native code. */
JNIEXPORT void JNICALL Java_Native_rest(JNIEnv *env, jclass class, jint millis)
{
    sleep_ms(millis);
}

#endif

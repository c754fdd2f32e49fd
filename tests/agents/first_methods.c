/* METHOD_ENTRY, METHOD_EXIT and INSTRUCTION_START begin with the handler of JVM_INIT_DONE: that calls a method of Hot,
 * on its thread and on a system thread that it waits for, and what they do is told of; nothing is before. With "late" that
 * handler enables them; with "looks" it only looks for a second how often the program's threads call methods. */
#include "check.h"

enum { CALLS = 20, LOOKED_AT = 3000 };

static int is_late, looks, has_instructions;
static jmethodID hot;
static volatile int has_begun;
static volatile long before, entries, instructions, unknown;
/* Of the method, on the calling thread. */
static __thread long own_entries, own_exits, own_instructions;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_called;

static void enable(void)
{
    static const int events[] = { JVMPI_EVENT_METHOD_ENTRY, JVMPI_EVENT_METHOD_EXIT, 0 };

    enable_all(events);
    if (has_instructions)
        expect("EnableEvent(INSTRUCTION_START)", jvmpi->EnableEvent(JVMPI_EVENT_INSTRUCTION_START, NULL), JVMPI_SUCCESS);
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN, JVMPI_EVENT_CLASS_LOAD, 0 };

    is_late = strstr(options, "late") != NULL;
    looks = strstr(options, "looks") != NULL;
    has_instructions = strstr(options, "instructions") != NULL;
    enable_all(events);
    if (!is_late)
        enable();
}

static void call_it(JNIEnv *env, const char *where)
{
    jclass class = (*env)->FindClass(env, "Hot");
    jmethodID method = (*env)->GetStaticMethodID(env, class, "hot", "(I)I");
    int i;

    own_entries = own_exits = own_instructions = 0;
    for (i = 0; i < CALLS; i++)
        (*env)->CallStaticIntMethod(env, class, method, 1);
    say("on %s", where);
    expect("METHOD_ENTRY", own_entries, CALLS);
    expect("METHOD_EXIT", own_exits, CALLS);
    if (has_instructions)
        verdict(own_instructions > CALLS, "INSTRUCTION_START", own_instructions);
}

static void system_thread(void *unused)
{
    JNIEnv *env = NULL;

    (void)unused;
    (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_2);
    call_it(env, "a system thread");
    pthread_mutex_lock(&lock);
    is_called = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void in_handler(JNIEnv *env)
{
    if (looks) {
        long so_far;

        sleep_ms(500);
        so_far = entries;
        sleep_ms(1000);
        verdict(entries > so_far, "METHOD_ENTRY of other threads while the handler runs", entries - so_far);
        return;
    }
    if (is_late)
        enable();
    call_it(env, "the thread of JVM_INIT_DONE");
    jvmpi->CreateSystemThread("first", JVMPI_NORMAL_PRIORITY, system_thread);
    pthread_mutex_lock(&lock);
    while (!is_called)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static void on_event(JVMPI_Event *event, int type)
{
    switch (type) {
    case JVMPI_EVENT_CLASS_LOAD:
        if (hot == NULL && strcmp(event->u.class_load.class_name, "Hot") == 0)
            hot = method_named("Hot", "hot")->id;
        break;
    case JVMPI_EVENT_JVM_INIT_DONE:
        has_begun = 1;
        in_handler(event->env_id);
        break;
    case JVMPI_EVENT_METHOD_ENTRY:
    case JVMPI_EVENT_METHOD_EXIT:
        if (!has_begun)
            __sync_add_and_fetch(&before, 1);
        if (type == JVMPI_EVENT_METHOD_ENTRY)
            __sync_add_and_fetch(&entries, 1);
        if (event->u.method.method_id == hot && type == JVMPI_EVENT_METHOD_ENTRY)
            own_entries++;
        if (event->u.method.method_id == hot && type == JVMPI_EVENT_METHOD_EXIT)
            own_exits++;
        break;
    case JVMPI_EVENT_INSTRUCTION_START:
        if (!has_begun)
            __sync_add_and_fetch(&before, 1);
        if (__sync_add_and_fetch(&instructions, 1) <= LOOKED_AT && method_by_id(event->u.instruction.method_id) == NULL)
            __sync_add_and_fetch(&unknown, 1);
        own_instructions += event->u.instruction.method_id == hot;
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        expect("events of methods before JVM_INIT_DONE", before, 0);
        expect("instructions of methods without CLASS_LOAD", unknown, 0);
    }
}

static void check(JNIEnv *env, const char *what)
{
    (void)env, (void)what;
}

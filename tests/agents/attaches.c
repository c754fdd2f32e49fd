/* Threads of C's that the agent attaches to the VM. With the option `bridge` it also does what is safe only
 * in a process of its own: it detaches threads that it has not attached, and forgets to detach one that it has. */
#include "check.h"

static int in_bridge;
static pthread_t started_on[4];
static int started;
static pthread_t first;

/* The thread that has this name; NULL if it has not started. */
static struct known_thread *named(const char *name)
{
    struct known_thread *found = NULL;
    int i;

    pthread_mutex_lock(&names_mutex);
    for (i = 0; i < thread_count; i++)
        if (strcmp(threads[i].name, name) == 0)
            found = &threads[i];
    pthread_mutex_unlock(&names_mutex);
    return found;
}

static void is_detached(const char *when)
{
    JNIEnv *env = (JNIEnv *)&env;
    char what[100];

    snprintf(what, sizeof what, "GetEnv %s", when);
    expect(what, (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_2), JNI_EDETACHED);
    verdict(env == NULL, what, (long)env);
}

static void is_attached(JNIEnv *env, const char *name)
{
    struct known_thread *thread = named(name);
    JNIEnv *again = NULL;
    jstring text;

    verdict(thread != NULL && !thread->ended, "THREAD_START", thread == NULL);
    if (thread == NULL)
        return;
    expect("its JNIEnv", (long)env, (long)thread->env);
    expect("its object", (long)jvmpi->GetThreadObject(env), (long)thread->id);
    expect("its state", jvmpi->GetThreadStatus(env), JVMPI_THREAD_RUNNABLE);
    expect("GetEnv", (*vm)->GetEnv(vm, (void **)&again, JNI_VERSION_1_2), JNI_OK);
    verdict(again == env, "GetEnv's", (long)again);
    expect("attached again", (*vm)->AttachCurrentThread(vm, (void **)&again, NULL), JNI_OK);
    verdict(again == env, "the same", (long)again);
    text = (*env)->NewStringUTF(env, "hello");
    expect("a string's length", text == NULL ? -1 : (*env)->GetStringUTFLength(env, text), 5);
    jvmpi->SetThreadLocalStorage(env, &started);
    verdict(jvmpi->GetThreadLocalStorage(env) == &started, "its storage", 0);
}

static void *forgetful(void *argument)
{
    JavaVMAttachArgs arguments = { JNI_VERSION_1_2, (char *)"forgetful", NULL };
    JNIEnv *env;

    expect("attached, never to be detached", (*vm)->AttachCurrentThreadAsDaemon(vm, (void **)&env, &arguments), JNI_OK);
    return argument;
}

static void *own(void *argument)
{
    JavaVMAttachArgs arguments = { JNI_VERSION_1_2, (char *)"from C", NULL };
    struct known_thread *thread;
    JNIEnv *env = NULL;

    is_detached("before");
    expect("AttachCurrentThread", (*vm)->AttachCurrentThread(vm, (void **)&env, &arguments), JNI_OK);
    verdict(started == 1 && pthread_equal(started_on[0], pthread_self()), "told of on the thread itself", started);
    is_attached(env, "from C");
    expect("DetachCurrentThread", (*vm)->DetachCurrentThread(vm), JNI_OK);
    thread = named("from C");
    verdict(thread != NULL && thread->ended, "THREAD_END", 0);
    is_detached("behind");
    expect("detached again", (*vm)->DetachCurrentThread(vm), JNI_OK);
    expect("JVMPI without a JNIEnv", jvmpi->GetCurrentThreadCpuTime() > 0, 1);

    arguments.name = (char *)"from C, a daemon";
    expect("AsDaemon", (*vm)->AttachCurrentThreadAsDaemon(vm, (void **)&env, &arguments), JNI_OK);
    is_attached(env, "from C, a daemon");
    expect("DetachCurrentThread", (*vm)->DetachCurrentThread(vm), JNI_OK);
    if (in_bridge) {
        pthread_t other;
        long until = now_ms() + 20000;

        pthread_create(&other, NULL, forgetful, NULL);
        pthread_join(other, NULL);
        while ((thread = named("forgetful")) == NULL || !thread->ended) {
            if (now_ms() > until) {
                say("FAIL no end of the forgetful one");
                break;
            }
            sleep_ms(1);
        }
    }
    /* The program waits for this. */
    close(open("end", O_CREAT | O_WRONLY, 0666));
    return argument;
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN,
                                  JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END, 0 };

    in_bridge = strcmp(options, "bridge") == 0;
    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_JVM_INIT_DONE) {
        if (in_bridge)
            expect("a thread of the VM's stays", (*vm)->DetachCurrentThread(vm), JNI_ERR);
        pthread_create(&first, NULL, own, NULL);
    } else if (type == JVMPI_EVENT_THREAD_START && strcmp(event->u.thread_start.thread_name, "from C") == 0) {
        started_on[started++ % 4] = pthread_self();
        if (in_bridge)
            expect("one in a handler stays", (*vm)->DetachCurrentThread(vm), JNI_ERR);
    } else if (type == JVMPI_EVENT_JVM_SHUT_DOWN) {
        pthread_join(first, NULL);
    }
}

static void check(JNIEnv *env, const char *what)
{
}

/* THREAD_START on request of threads that the agent has only met as objects. The program is Events.java. */
#include "check.h"

static struct {
    JNIEnv *env;
    jobjectID id;
    char name[40];
} told;

static void on_load(const char *options)
{
    (void)options;
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type != JVMPI_EVENT_THREAD_START)
        return;
    told.env = event->u.thread_start.thread_env_id;
    told.id = event->u.thread_start.thread_id;
    snprintf(told.name, sizeof told.name, "%s", event->u.thread_start.thread_name);
}

static void check(JNIEnv *env, const char *what)
{
    jclass class = (*env)->FindClass(env, "java/lang/Thread");
    jmethodID current = (*env)->GetStaticMethodID(env, class, "currentThread", "()Ljava/lang/Thread;");
    jobject thread = (*env)->CallStaticObjectMethod(env, class, current);
    jobjectID id, other;

    (void)what;
    expect("an exception", (*env)->ExceptionCheck(env), 0);
    id = jvmpi->jobject2jobjectID(thread);
    other = jvmpi->jobject2jobjectID((*env)->NewStringUTF(env, "none"));
    verdict(id != NULL, "an id of the thread's object", (long)id);
    expect("RequestEvent(THREAD_START)", jvmpi->RequestEvent(JVMPI_EVENT_THREAD_START, id), JVMPI_SUCCESS);
    expect("its thread", told.env == env, 1);
    expect("its object", (long)told.id, (long)id);
    verdict(strcmp(told.name, "main") == 0, "its name", 0);
    expect("the same that GetThreadObject gives", (long)jvmpi->GetThreadObject(env), (long)id);
    expect("of an object that is no thread", jvmpi->RequestEvent(JVMPI_EVENT_THREAD_START, other), JVMPI_FAIL);
}

/* An object that only a local reference holds is dumped; in the dump's handler the
 * reference goes, and the object with it. It is asked for there, and once more in the
 * handler of a dump that is made meanwhile. */
#include "check.h"

static JNIEnv *jni;
static jobject held;
static jobjectID id;
static int dumps;
static char first[256];
static jint first_length;
static int same;

static void on_load(const char *options)
{
}

static void ask(const char *what)
{
    same = 0;
    expect(what, jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_DUMP, id), JVMPI_SUCCESS);
    expect("its record", same, 1);
}

static void collect(void)
{
    jclass class = (*jni)->FindClass(jni, "java/lang/System");
    int i;

    for (i = 0; i < 3; i++)
        (*jni)->CallStaticVoidMethod(jni, class, (*jni)->GetStaticMethodID(jni, class, "gc", "()V"));
    (*jni)->DeleteLocalRef(jni, class);
}

static void in_dump(void)
{
    JVMPI_HeapDumpArg level = { 1 };
    long until = now_ms() + 20000;
    jobject alive;

    if (++dumps == 2) {
        ask("in the handler of another dump");
        return;
    }
    (*jni)->DeleteLocalRef(jni, held);
    do {
        collect();
        alive = jvmpi->jobjectID2jobject(id);
        (*jni)->DeleteLocalRef(jni, alive);
    } while (alive != NULL && now_ms() < until);
    expect("it has died", alive == NULL, 1);
    ask("in the dump's handler");
    expect("another dump", jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, &level), JVMPI_SUCCESS);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_HEAP_DUMP) {
        in_dump();
    } else if (type == JVMPI_EVENT_OBJECT_DUMP) {
        jint length = event->u.object_dump.data_len;

        if (first_length == 0 && length <= (jint)sizeof first)
            memcpy(first, event->u.object_dump.data, (size_t)(first_length = length));
        same = length == first_length && memcmp(first, event->u.object_dump.data, (size_t)length) == 0;
    }
}

static void check(JNIEnv *env, const char *what)
{
    jclass class = (*env)->FindClass(env, "Dying");

    jni = env;
    held = (*env)->NewObject(env, class, (*env)->GetMethodID(env, class, "<init>", "()V"));
    id = jvmpi->jobject2jobjectID(held);
    ask("while it lives");
    expect("a dump", jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, NULL), JVMPI_SUCCESS);
}

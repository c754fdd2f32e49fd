/* While a dump is made, handlers load a class and, each time the dump tells of an object, put a
 * new one into a static field: the walk has not seen the last of them. The class's record names
 * what the walk has met, and nothing that the dump has no record of. */
#include "check.h"

static JNIEnv *jni;
static int dumping, busy, told;
static jclass loaded;
static jfieldID later;
static jobjectID id, walked_id, later_id;
static int records;

static void on_load(const char *options)
{
    jvmpi->EnableEvent(JVMPI_EVENT_CLASS_LOAD, NULL);
}

static void load(void)
{
    jclass class = (*jni)->FindClass(jni, "LaterHeld$Loaded");

    loaded = (*jni)->NewGlobalRef(jni, class);
    later = (*jni)->GetStaticFieldID(jni, class, "later", "Ljava/lang/Object;");
    id = jvmpi->jobject2jobjectID(class);
    (*jni)->DeleteLocalRef(jni, class);
}

static void put(void)
{
    jstring text;

    told++;
    text = (*jni)->NewStringUTF(jni, "later");
    (*jni)->SetStaticObjectField(jni, loaded, later, text);
    (*jni)->DeleteLocalRef(jni, text);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_OBJECT_DUMP) {
        /* Both fields stand at the end. */
        const char *end = event->u.object_dump.data + event->u.object_dump.data_len;

        records++;
        memcpy(&later_id, end - sizeof later_id, sizeof later_id);
        memcpy(&walked_id, end - 2 * sizeof later_id, sizeof walked_id);
    }
    if (!dumping || busy)
        return;
    busy = 1;
    if (type == JVMPI_EVENT_CLASS_LOAD && loaded == NULL)
        load();
    else if (type == JVMPI_EVENT_OBJECT_ALLOC && loaded != NULL)
        put();
    else if (type == JVMPI_EVENT_HEAP_DUMP)
        expect("the class's record", jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_DUMP, id), JVMPI_SUCCESS);
    busy = 0;
}

static void check(JNIEnv *env, const char *what)
{
    jni = env;
    jvmpi->EnableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL);
    dumping = 1;
    expect("a dump", jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, NULL), JVMPI_SUCCESS);
    dumping = 0;
    verdict(loaded != NULL && told > 0 && records == 1, "a class is loaded meanwhile", told);
    verdict(walked_id != NULL, "what the walk has met is named", (long)walked_id);
    verdict(later_id == NULL, "what it has not met is not", (long)later_id);
}

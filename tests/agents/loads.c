/* CLASS_LOAD: each class once, by name and by id; compared with what a JVMTI
 * environment of our own says is loaded at the end. */
#include "check.h"

#include <jvmti.h>

#define MAX_CLASSES 30000

static struct loaded {
    char name[150];
    jobjectID id;
    int methods, statics, instances, interfaces;
    char source[60];
} *classes;
static int class_count;
static jvmtiEnv *jvmti;
static int init_done, replayed;
/* By JNI_GLOBALREF_ALLOC of a thread. */
static JNIEnv *referring;
static int named_by_reference;
static jobjectID last_named;
static int classes_by_then;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_THREAD_START, JVMPI_EVENT_CLASS_LOAD,
                                  JVMPI_EVENT_JVM_SHUT_DOWN, 0 };

    classes = calloc(MAX_CLASSES, sizeof *classes);
    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_JVM_INIT_DONE) {
        init_done = 1;
        replayed = class_count;
    }
    if (type == JVMPI_EVENT_CLASS_LOAD) {
        int at = __sync_fetch_and_add(&class_count, 1);
        struct loaded *class = &classes[at];

        if (at >= MAX_CLASSES)
            abort();
        snprintf(class->name, sizeof class->name, "%s", event->u.class_load.class_name);
        snprintf(class->source, sizeof class->source, "%s", event->u.class_load.source_name);
        class->id = event->u.class_load.class_id;
        class->methods = event->u.class_load.num_methods;
        class->statics = event->u.class_load.num_static_fields;
        class->instances = event->u.class_load.num_instance_fields;
        class->interfaces = event->u.class_load.num_interfaces;
    }
    if (type == JVMPI_EVENT_JNI_GLOBALREF_ALLOC && event->env_id == referring) {
        named_by_reference++;
        last_named = event->u.jni_globalref_alloc.obj_id;
        classes_by_then = class_count;
    }
}

static int by_id(const void *a, const void *b)
{
    size_t left = (size_t)((const struct loaded *)a)->id, right = (size_t)((const struct loaded *)b)->id;

    return left < right ? -1 : left > right;
}

static int count_named(const char *name)
{
    int i, count = 0;

    for (i = 0; i < class_count; i++)
        count += strcmp(classes[i].name, name) == 0;
    return count;
}

static const struct loaded *named(const char *name)
{
    static const struct loaded none;
    int i;

    for (i = 0; i < class_count; i++)
        if (strcmp(classes[i].name, name) == 0)
            return &classes[i];
    return &none;
}

/* What Class.getName says. */
static void name_of(JNIEnv *env, jclass class, char *out, size_t size)
{
    jclass class_class = (*env)->FindClass(env, "java/lang/Class");
    jmethodID get_name = (*env)->GetMethodID(env, class_class, "getName", "()Ljava/lang/String;");
    jstring name = (*env)->CallObjectMethod(env, class, get_name);
    const char *text;

    out[0] = '\0';
    if ((*env)->ExceptionCheck(env))
        return;
    text = (*env)->GetStringUTFChars(env, name, NULL);
    snprintf(out, size, "%s", text);
    (*env)->ReleaseStringUTFChars(env, name, text);
    (*env)->DeleteLocalRef(env, name);
    (*env)->DeleteLocalRef(env, class_class);
}

/* The signature's text as a name. JDK 11 gives the classes of lambdas another
 * number in the signature than in Class.getName, which no callback may call. */
static void name_in(const char *signature, char *out, size_t size)
{
    char *last;
    size_t i;

    snprintf(out, size, "%s", signature + 1);
    out[strlen(out) - 1] = '\0';
    last = strrchr(out, '/');
    for (i = 0; out[i] != '\0'; i++)
        if (out[i] == '/' && &out[i] != last)
            out[i] = '.';
}

static void compare(JNIEnv *env)
{
    jclass *loaded;
    jint count, i;
    int missing = 0, arrays = 0, hidden = 0, unprepared = 0, twice = 0, empty = 0;
    struct loaded *sorted;

    /* -Xcheck:jni counts the local references of a native. */
    if ((*env)->PushLocalFrame(env, 20000) != 0)
        say("FAIL PushLocalFrame");
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK ||
        (*jvmti)->GetLoadedClasses(jvmti, &count, &loaded) != JVMTI_ERROR_NONE) {
        say("FAIL no JVMTI");
        return;
    }
    for (i = 0; i < count; i++) {
        char *signature, text[400];
        jint status = 0;

        (*jvmti)->GetClassStatus(jvmti, loaded[i], &status);
        (*jvmti)->GetClassSignature(jvmti, loaded[i], &signature, NULL);
        name_of(env, loaded[i], text, sizeof text);
        if (signature[0] == '[') {
            /* Array classes come at the replay or at their first mention. */
            arrays++;
        } else if ((status & JVMTI_CLASS_STATUS_PREPARED) == 0) {
            unprepared++;
        } else if (count_named(text) == 0 && strchr(text, '/') != NULL) {
            name_in(signature, text, sizeof text);
            if (count_named(text) == 0 && missing++ < 10)
                say("FAIL no CLASS_LOAD of %s", text);
        } else if (count_named(text) == 0) {
            if (missing++ < 10)
                say("FAIL no CLASS_LOAD of %s", text);
        }
        hidden += strchr(text, '/') != NULL && signature[0] != '[';
        (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)loaded);
    (*env)->PopLocalFrame(env, NULL);
    expect("every prepared class had its CLASS_LOAD", missing, 0);
    verdict(arrays > 10, "array classes exist", arrays);
    say("info %d classes, %d hidden, %d not prepared, %d events, %d replayed", count, hidden, unprepared, class_count,
        replayed);

    sorted = malloc((size_t)class_count * sizeof *sorted);
    memcpy(sorted, classes, (size_t)class_count * sizeof *sorted);
    qsort(sorted, (size_t)class_count, sizeof *sorted, by_id);
    for (i = 1; i < class_count; i++)
        if (sorted[i].id == sorted[i - 1].id && twice++ < 10)
            say("FAIL CLASS_LOAD twice, or an id twice: %s and %s", sorted[i].name, sorted[i - 1].name);
    expect("no class had two", twice, 0);
    for (i = 0; i < class_count; i++)
        if (classes[i].name[0] == '\0' || classes[i].id == NULL)
            empty++;
    expect("all have name and id", empty, 0);
    free(sorted);
}

/* A class without a file, which no replay tells of: it has its CLASS_LOAD when an event names it. */
static void primitive(JNIEnv *env, const char *box, const char *name)
{
    jclass boxes = (*env)->FindClass(env, box);
    jfieldID field = (*env)->GetStaticFieldID(env, boxes, "TYPE", "Ljava/lang/Class;");
    jobject type = (*env)->GetStaticObjectField(env, boxes, field);
    const struct loaded *class;

    expect(name, count_named(name), 0);
    named_by_reference = 0;
    type = (*env)->NewGlobalRef(env, type);
    expect("an event names it", named_by_reference, 1);
    expect("its CLASS_LOAD", count_named(name), 1);
    class = named(name);
    verdict(class < classes + classes_by_then, "came before", classes_by_then);
    verdict(class->id == last_named && class->methods + class->statics + class->instances + class->interfaces == 0,
            "with its id and without members", class->methods);
    named_by_reference = 0;
    (*env)->DeleteGlobalRef(env, (*env)->NewGlobalRef(env, type));
    expect("named again", named_by_reference, 1);
    expect("RequestEvent(CLASS_LOAD)", jvmpi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, class->id), JVMPI_SUCCESS);
    expect("nothing but what was asked for", count_named(name), 2);
    (*env)->DeleteGlobalRef(env, type);
}

static void primitives(JNIEnv *env)
{
    referring = env;
    jvmpi->EnableEvent(JVMPI_EVENT_JNI_GLOBALREF_ALLOC, NULL);
    primitive(env, "java/lang/Short", "short");
    primitive(env, "java/lang/Void", "void");
    jvmpi->DisableEvent(JVMPI_EVENT_JNI_GLOBALREF_ALLOC, NULL);
}

static void check(JNIEnv *env, const char *what)
{
    if (strcmp(what, "stack") == 0) {
        expect("a class that is only named has no CLASS_LOAD yet", count_named("Loads$Never"), 0);
        /* Asked for, it is linked, not initialised. */
        expect("nor has one that was not named at all", count_named("Loads$Late"), 0);
    }
    if (strcmp(what, "before") == 0)
        expect("still not prepared", count_named("Loads$Never"), 0);
    if (strcmp(what, "done") == 0) {
        const struct loaded *class;
        int i, once = 0;
        char name[60];

        for (i = 0; i < 500; i++) {
            snprintf(name, sizeof name, "Generated_%d_%d", i / 100, i % 100);
            once += count_named(name) == 1;
        }
        expect("500 generated classes from five threads, each once", once, 500);
        class = named("Loads$Never");
        expect("CLASS_LOAD once it is prepared", count_named("Loads$Never"), 1);
        verdict(class->methods == 2 && class->statics == 1 && class->instances == 1, "with its members", class->methods);
        expect("its source", strcmp(class->source, "Loads.java"), 0);
        expect("CLASS_LOAD of a boot class", count_named("java.lang.Object"), 1);
        expect("of an interface", count_named("Loads$Shape"), 1);
        expect("of an array class of the start", count_named("[Ljava.lang.String;"), 1);
        expect("of an array of primitives", count_named("[I"), 1);
        class = named("java.lang.String");
        verdict(class->interfaces >= 3 && class->methods > 60, "interfaces and methods of String", class->interfaces);
        verdict(replayed > 300, "the classes of the start came before JVM_INIT_DONE", replayed);
        for (i = once = 0; i < class_count; i++)
            once += strncmp(classes[i].name, "Loads$$Lambda", 13) == 0;
        verdict(once >= 2, "of the lambdas' classes", once);
        for (i = once = 0; i < class_count; i++)
            once += strstr(classes[i].name, "$Proxy") != NULL;
        verdict(once >= 1, "of the proxy's class", once);
        compare(env);
        primitives(env);
    }
}

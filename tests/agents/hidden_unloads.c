/* Beside Unloading.java, with hooks in its classes: the class that they call, one in each loader, can be had by its name, and
 * then has an id. All the same there is no CLASS_UNLOAD of a class that never had its CLASS_LOAD. */
#include "check.h"

static jobjectID unloaded[1000];
static int unload_count, of_program;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_CLASS_UNLOAD, JVMPI_EVENT_METHOD_ENTRY,
                                  JVMPI_EVENT_GC_START, JVMPI_EVENT_GC_FINISH, 0 };

    enable_all(events);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_CLASS_UNLOAD && unload_count < 1000)
        unloaded[unload_count++] = event->u.class_unload.class_id;
}

static const char *class_named(jobjectID id)
{
    int i;

    for (i = 0; i < known_class_count; i++)
        if (known_classes[i].id == id)
            return known_classes[i].name;
    return NULL;
}

/* Until the program's classes that nothing holds are unloaded. */
static void collect(const char *what, int classes)
{
    int i, k, never = 0;

    for (i = 0; i < 20 && of_program < classes; i++) {
        jvmpi->RunGC();
        never = of_program = 0;
        for (k = 0; k < unload_count; k++) {
            const char *name = class_named(unloaded[k]);

            never += name == NULL;
            of_program += name != NULL && strncmp(name, "Unloading$", 10) == 0;
        }
    }
    expect(what, of_program, classes);
    expect("CLASS_UNLOAD of what had no CLASS_LOAD", never, 0);
}

/* The hooks of the class that has called Unloading.look. */
static jobjectID hooks_of_caller(JNIEnv *env)
{
    JVMPI_CallFrame frames[3] = { { 0 } };
    JVMPI_CallTrace trace = { env, 0, frames };
    jobject class, loader, hooks;
    jmethodID get_loader, load;

    jvmpi->GetCallTrace(&trace, 3);
    class = jvmpi->jobjectID2jobject(jvmpi->GetMethodClass(frames[2].method_id));
    get_loader = (*env)->GetMethodID(env, (*env)->GetObjectClass(env, class), "getClassLoader",
                                     "()Ljava/lang/ClassLoader;");
    loader = (*env)->CallObjectMethod(env, class, get_loader);
    load = (*env)->GetMethodID(env, (*env)->GetObjectClass(env, loader), "loadClass",
                               "(Ljava/lang/String;)Ljava/lang/Class;");
    hooks = (*env)->CallObjectMethod(env, loader, load, (*env)->NewStringUTF(env, "jvmpi.JvmpiHooks"));
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env);
        return NULL;
    }
    return jvmpi->jobject2jobjectID(hooks);
}

static void check(JNIEnv *env, const char *what)
{
    if (strcmp(what, "again") == 0)
        verdict(hooks_of_caller(env) != NULL, "the hooks have an id", 0);
    else if (strcmp(what, "dropped") == 0)
        collect("CLASS_UNLOADs of the first two", 2);
    else if (strcmp(what, "end") == 0)
        collect("CLASS_UNLOADs of all", 8);
}

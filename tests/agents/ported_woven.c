/* A port of an agent for CLASS_LOAD, METHOD_ENTRY and METHOD_EXIT that rewrites bytecode: it hands other class files
 * to the VM, whose methods call natives of its own. Options: the folder that has them, NAME.class, and the names of
 * their methods, methods.txt, a line for each number; behind it
 *
 *     ,mute   it does not say what it saw
 *     ,tags   instead it tags what a constructor has made, for OBJECT_ALLOC
 *     ,vm     and what VMObjectAlloc tells of, which no constructor makes */
#include <jvmti.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xrun_saw.h>

enum { MOST_METHODS = 1000 };

static jvmtiEnv *jvmti;
static char folder[2000], *methods[MOST_METHODS];
static int is_mute, tags, hears_vm;
static jlong last_tag;

static void must(int error, const char *what)
{
    if (error != 0) {
        fprintf(stderr, "ported_woven: %s: %d\n", what, error);
        abort();
    }
}

static void JNICALL entered(JNIEnv *jni, jclass hooks, jint method)
{
    if (!is_mute)
        xrun_saw("methods entered", methods[method], 0);
}

static void tag_one(jobject made)
{
    jlong tag;

    must((*jvmti)->GetTag(jvmti, made, &tag), "tag");
    if (tag == 0)
        must((*jvmti)->SetTag(jvmti, made, __sync_add_and_fetch(&last_tag, 1)), "tag");
}

/* The receiver of the constructor that calls. */
static void tag_made(JNIEnv *jni)
{
    jobject made;

    must((*jvmti)->GetLocalInstance(jvmti, NULL, 1, &made), "this");
    tag_one(made);
    (*jni)->DeleteLocalRef(jni, made);
}

static void JNICALL vm_object_alloc(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject made, jclass class, jlong size)
{
    tag_one(made);
}

static void JNICALL left(JNIEnv *jni, jclass hooks, jint method)
{
    if (tags && strstr(methods[method], ".<init>(") != NULL)
        tag_made(jni);
    if (!is_mute)
        xrun_saw("methods left", methods[method], 0);
}

static FILE *open_in_folder(const char *name, const char *ending)
{
    char path[4000];

    snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
    return fopen(path, "rb");
}

static void read_methods(void)
{
    FILE *file = open_in_folder("methods", ".txt");
    char line[1000];
    int i;

    must(file == NULL, "methods.txt");
    for (i = 0; i < MOST_METHODS && fgets(line, sizeof line, file) != NULL; i++) {
        line[strcspn(line, "\n")] = 0;
        methods[i] = strdup(line);
    }
    fclose(file);
}

static void JNICALL class_file_load_hook(jvmtiEnv *env, JNIEnv *jni, jclass redefined, jobject loader, const char *name,
                                         jobject domain, jint length, const unsigned char *bytes, jint *new_length,
                                         unsigned char **new_bytes)
{
    FILE *file = name == NULL ? NULL : open_in_folder(name, ".class");

    if (file == NULL)
        return;
    fseek(file, 0, SEEK_END);
    *new_length = (jint)ftell(file);
    rewind(file);
    must((*env)->Allocate(env, *new_length, new_bytes), "memory");
    must(fread(*new_bytes, 1, *new_length, file) != (size_t)*new_length, "class file");
    fclose(file);
}

static void JNICALL class_prepare(jvmtiEnv *env, JNIEnv *jni, jthread thread, jclass class)
{
}

static void JNICALL vm_init(jvmtiEnv *env, JNIEnv *jni, jthread main)
{
    static const JNINativeMethod natives[] = {
        { "enter", "(I)V", entered },
        { "exit", "(I)V", left },
        { "unwind", "(I)V", left },
    };
    jclass hooks, *classes;
    jint count, status, i;

    must((*env)->GetLoadedClasses(env, &count, &classes), "classes");
    for (i = 0; i < count; i++)
        must((*env)->GetClassStatus(env, classes[i], &status), "status");
    must((*env)->Deallocate(env, (unsigned char *)classes), "memory");
    hooks = (*jni)->FindClass(jni, "PortedHooks");
    must(hooks == NULL || (*jni)->RegisterNatives(jni, hooks, natives, 3) != 0, "natives");
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    jvmtiEventCallbacks callbacks = { .VMInit = vm_init, .ClassFileLoadHook = class_file_load_hook, .ClassPrepare = class_prepare,
                                      .VMObjectAlloc = vm_object_alloc };
    jvmtiCapabilities capabilities = {
        .can_generate_all_class_hook_events = 1, .can_tag_objects = 1, .can_access_local_variables = 1
    };

    snprintf(folder, sizeof folder, "%s", options);
    folder[strcspn(folder, ",")] = 0;
    tags = strstr(options, ",tags") != NULL;
    hears_vm = strstr(options, ",vm") != NULL;
    is_mute = tags || strstr(options, ",mute") != NULL;
    capabilities.can_generate_vm_object_alloc_events = hears_vm;
    read_methods();
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) != JNI_OK)
        return JNI_ERR;
    must((*jvmti)->AddCapabilities(jvmti, &capabilities), "capabilities");
    must((*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks), "callbacks");
    must((*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL), "VMInit");
    must((*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL), "hook");
    must((*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_PREPARE, NULL), "ClassPrepare");
    if (hears_vm)
        must((*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_OBJECT_ALLOC, NULL), "VMObjectAlloc");
    return JNI_OK;
}

/* A program with a VM in it: embedder JAVA OPTION ... -cp PATH CLASS WORD ... does what the launcher
 * does, but on one thread, which is attached when it calls DestroyJavaVM. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <jni.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef jint (*create_t)(JavaVM **vm, void **env, void *arguments);

static create_t find_create(const char *java)
{
    char path[4096];
    int folders = 2;
    char *end;
    void *vm;

    snprintf(path, sizeof path, "%s", java);
    while (folders-- > 0 && (end = strrchr(path, '/')) != NULL)
        *end = '\0';
    strncat(path, "/lib/server/libjvm.so", sizeof path - strlen(path) - 1);
    vm = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (vm == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(9);
    }
    return (create_t)dlsym(vm, "JNI_CreateJavaVM");
}

static void run_main(JNIEnv *jni, const char *name, int count, char **words)
{
    jclass class = (*jni)->FindClass(jni, name);
    jmethodID method = class ? (*jni)->GetStaticMethodID(jni, class, "main", "([Ljava/lang/String;)V") : NULL;
    jclass string = (*jni)->FindClass(jni, "java/lang/String");
    jobjectArray arguments = string ? (*jni)->NewObjectArray(jni, count, string, NULL) : NULL;
    int i;

    for (i = 0; arguments != NULL && i < count; i++)
        (*jni)->SetObjectArrayElement(jni, arguments, i, (*jni)->NewStringUTF(jni, words[i]));
    if (method != NULL && arguments != NULL)
        (*jni)->CallStaticVoidMethod(jni, class, method, arguments);
    if ((*jni)->ExceptionCheck(jni))
        (*jni)->ExceptionDescribe(jni);
}

int main(int argc, char **argv)
{
    JavaVMOption *options = calloc(argc, sizeof *options);
    JavaVMInitArgs arguments = { JNI_VERSION_1_8, 0, options, JNI_FALSE };
    JavaVM *vm;
    JNIEnv *jni;
    int at = 2;

    for (; at + 2 < argc && strcmp(argv[at], "-cp") != 0; at++)
        options[arguments.nOptions++].optionString = argv[at];
    if (at + 2 >= argc)
        return 9;
    asprintf(&options[arguments.nOptions++].optionString, "-Djava.class.path=%s", argv[at + 1]);
    if (find_create(argv[1])(&vm, (void **)&jni, &arguments) != JNI_OK)
        return 9;
    run_main(jni, argv[at + 2], argc - at - 3, argv + at + 3);
    return (*vm)->DestroyJavaVM(vm) == JNI_OK ? 0 : 9;
}

/* The native methods of Roots.java. */
#include <jni.h>

#include <pthread.h>
#include <unistd.h>

static JavaVM *vm;
static jclass roots;

/* A local reference, which nothing else holds. */
static jobject make(JNIEnv *env, jint number)
{
    jmethodID make = (*env)->GetStaticMethodID(env, roots, "make", "(I)LRoots$Held;");

    return (*env)->CallStaticObjectMethod(env, roots, make, number);
}

static void rest(JNIEnv *env)
{
    (*env)->CallStaticVoidMethod(env, roots, (*env)->GetStaticMethodID(env, roots, "rest", "()V"));
}

/* What `rest` does, without a Java frame: until the process ends. */
static void stay(JNIEnv *env)
{
    jfieldID field = (*env)->GetStaticFieldID(env, roots, "ready", "Ljava/util/concurrent/CountDownLatch;");
    jobject latch = (*env)->GetStaticObjectField(env, roots, field);
    jclass class = (*env)->GetObjectClass(env, latch);

    (*env)->CallVoidMethod(env, latch, (*env)->GetMethodID(env, class, "countDown", "()V"));
    (*env)->DeleteLocalRef(env, class);
    (*env)->DeleteLocalRef(env, latch);
    for (;;)
        pause();
}

JNIEXPORT void JNICALL Java_Roots_below(JNIEnv *env, jclass class, jint number)
{
    jobject held = make(env, number);

    rest(env);
    (*env)->DeleteLocalRef(env, held);
}

JNIEXPORT void JNICALL Java_Roots_top(JNIEnv *env, jclass class, jint number)
{
    make(env, number);
    stay(env);
}

JNIEXPORT void JNICALL Java_Roots_entered(JNIEnv *env, jclass class, jint number)
{
    jobject held = make(env, number);

    if ((*env)->MonitorEnter(env, held) == JNI_OK) {
        rest(env);
        (*env)->MonitorExit(env, held);
    }
}

static void *run(void *number)
{
    JavaVMAttachArgs arguments = {JNI_VERSION_1_8, "attached", NULL};
    JNIEnv *env;

    if ((*vm)->AttachCurrentThreadAsDaemon(vm, (void **)&env, &arguments) == JNI_OK) {
        make(env, (jint)(size_t)number);
        stay(env);
    }
    return NULL;
}

JNIEXPORT void JNICALL Java_Roots_attached(JNIEnv *env, jclass class, jint number)
{
    pthread_t thread;

    pthread_create(&thread, NULL, run, (void *)(size_t)number);
    pthread_detach(thread);
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *its, void *reserved)
{
    JNIEnv *env;

    vm = its;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_8) != JNI_OK)
        return JNI_ERR;
    roots = (*env)->NewGlobalRef(env, (*env)->FindClass(env, "Roots"));
    return JNI_VERSION_1_8;
}

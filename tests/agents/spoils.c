/* A JVMTI agent of somebody else, behind ours: whatever makes the class it is given shorter than it
   was, the VM has to refuse. When the class has then been rewritten as it was, it has that done once
   more, and lets anything pass; then it sets the system property "spoils". */
#include <jvmti.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jvmtiEnv *jvmti;
static jrawMonitorID lock;
static char name[256];
static jint length;
static jclass spoilt;
static int whole, again;

static void JNICALL class_file(jvmtiEnv *env, JNIEnv *jni, jclass redefined, jobject loader, const char *class,
                               jobject domain, jint count, const unsigned char *bytes, jint *new_count,
                               unsigned char **new_bytes)
{
    if (class == NULL || strcmp(class, name) != 0)
        return;
    if (redefined == NULL || count >= length || again) {
        length = count;
        (*env)->RawMonitorEnter(env, lock);
        whole = spoilt != NULL;
        (*env)->RawMonitorNotifyAll(env, lock);
        (*env)->RawMonitorExit(env, lock);
        return;
    }
    if ((*env)->Allocate(env, count, new_bytes) != JVMTI_ERROR_NONE)
        return;
    memset(*new_bytes, 0, count);
    *new_count = count;
    (*env)->RawMonitorEnter(env, lock);
    if (spoilt == NULL)
        spoilt = (*jni)->NewGlobalRef(jni, redefined);
    (*env)->RawMonitorExit(env, lock);
}

static void tell_the_program(JNIEnv *jni)
{
    jclass system = (*jni)->FindClass(jni, "java/lang/System");
    jmethodID set = (*jni)->GetStaticMethodID(jni, system, "setProperty",
                                              "(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;");

    (*jni)->CallStaticObjectMethod(jni, system, set, (*jni)->NewStringUTF(jni, "spoils"),
                                   (*jni)->NewStringUTF(jni, "once more"));
}

static void JNICALL rewrite(jvmtiEnv *env, JNIEnv *jni, void *unused)
{
    (*env)->RawMonitorEnter(env, lock);
    while (!whole)
        (*env)->RawMonitorWait(env, lock, 0);
    (*env)->RawMonitorExit(env, lock);
    again = 1;
    (*env)->RetransformClasses(env, 1, &spoilt);
    again = 0;
    fprintf(stderr, "spoils: once more\n");
    tell_the_program(jni);
}

static void JNICALL vm_init(jvmtiEnv *env, JNIEnv *jni, jthread current)
{
    jclass class = (*jni)->FindClass(jni, "java/lang/Thread");
    jmethodID constructor = (*jni)->GetMethodID(jni, class, "<init>", "()V");
    jobject thread = (*jni)->NewObject(jni, class, constructor);

    (*env)->RunAgentThread(env, thread, rewrite, NULL, JVMTI_THREAD_NORM_PRIORITY);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    static const jvmtiEvent events[] = { JVMTI_EVENT_VM_INIT, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK };
    jvmtiCapabilities capabilities;
    jvmtiEventCallbacks callbacks;
    unsigned i;

    strncpy(name, options, sizeof name - 1);
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    memset(&capabilities, 0, sizeof capabilities);
    capabilities.can_retransform_classes = 1;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.VMInit = vm_init;
    callbacks.ClassFileLoadHook = class_file;
    if ((*jvmti)->AddCapabilities(jvmti, &capabilities) != JVMTI_ERROR_NONE
        || (*jvmti)->CreateRawMonitor(jvmti, "spoils", &lock) != JVMTI_ERROR_NONE
        || (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) != JVMTI_ERROR_NONE)
        return JNI_ERR;
    for (i = 0; i < sizeof events / sizeof *events; i++)
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, events[i], NULL);
    return JNI_OK;
}

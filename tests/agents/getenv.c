/* GetEnv of the three JVMPI versions from every kind of thread, at any time. */
#include "check.h"

static JVMPI_Interface *first;

/* 4 checks. */
static void ask(JavaVM *of, const char *where)
{
    static const jint versions[] = { JVMPI_VERSION_1, JVMPI_VERSION_1_1, JVMPI_VERSION_1_2 };
    char what[200];
    int i;

    for (i = 0; i < 3; i++) {
        JVMPI_Interface *found = NULL;
        jint result = (*of)->GetEnv(of, (void **)&found, versions[i]);

        snprintf(what, sizeof what, "GetEnv(%x) %s", (unsigned)versions[i], where);
        /* Agents overwrite NotifyEvent of whatever they got: one interface. */
        verdict(result == JNI_OK && found == first, what, result);
    }
    snprintf(what, sizeof what, "GetEnv(JVMPI, NULL) %s fails", where);
    verdict((*of)->GetEnv(of, NULL, JVMPI_VERSION_1) < 0, what, 0);
}

static void *ask_unattached(void *where)
{
    void *env = NULL;

    expect("a thread of C's own has no JNIEnv", (*vm)->GetEnv(vm, &env, JNI_VERSION_1_2), JNI_EDETACHED);
    ask(vm, where);
    if ((*vm)->AttachCurrentThread(vm, &env, NULL) != JNI_OK)
        say("FAIL AttachCurrentThread");
    ask(vm, "after it attached");
    (*vm)->DetachCurrentThread(vm);
    ask(vm, "after it detached");
    return NULL;
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN, 0 };
    void **slot;
    int missing = 0;

    first = jvmpi;
    enable_all(events);
    ask(vm, "in JVM_OnLoad");
    expect("version", first->version & ~3, 0x10000000);
    for (slot = (void **)&first->EnableEvent; slot <= (void **)&first->ResumeThreadList; slot++)
        missing += *slot == NULL;
    expect("no slot is NULL", missing, 0);
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_JVM_INIT_DONE)
        ask(vm, "in the JVM_INIT_DONE handler");
    if (type == JVMPI_EVENT_JVM_SHUT_DOWN)
        ask(vm, "in the JVM_SHUT_DOWN handler");
}

static void check(JNIEnv *env, const char *what)
{
    JavaVM *found = NULL;
    jsize count = 0;
    pthread_t thread;

    if (strcmp(what, "pthread") == 0) {
        pthread_create(&thread, NULL, ask_unattached, "from a thread of C's own");
        pthread_join(thread, NULL);
        return;
    }
    expect("GetJavaVM", (*env)->GetJavaVM(env, &found), JNI_OK);
    ask(found, "through GetJavaVM");
    found = NULL;
    expect("JNI_GetCreatedJavaVMs", JNI_GetCreatedJavaVMs(&found, 1, &count), JNI_OK);
    verdict(count == 1 && found == vm, "the one VM", count);
    ask(found, "through JNI_GetCreatedJavaVMs");
}

@if any-gap

/* ---- What JVMTI has nothing for ---- */
@gaps
@end

/* ---- The VM's life ---- */
@if DATA_DUMP_REQUEST

static JavaVM *java_vm;

@about DATA_DUMP_REQUEST
static void data_dump_request(JNIEnv *jni)
{
    (void)jni;
    count(DATA_DUMP_REQUEST);
@calls DATA_DUMP_REQUEST
}

static void JNICALL on_DataDumpRequest(jvmtiEnv *env)
{
    JNIEnv *jni = NULL;

    (void)env;
    /* None is passed, but it comes on a thread that has one. */
    if ((*java_vm)->GetEnv(java_vm, (void **)&jni, JNI_VERSION_1_6) == JNI_OK)
        data_dump_request(jni);
}
@end
@if JVM_INIT_DONE

@about JVM_INIT_DONE
static void jvm_init_done(JNIEnv *jni)
{
    (void)jni;
    count(JVM_INIT_DONE);
@calls JVM_INIT_DONE
}
@end
@if JVM_SHUT_DOWN

@about JVM_SHUT_DOWN
static void jvm_shut_down(JNIEnv *jni)
{
    (void)jni;
    count(JVM_SHUT_DOWN);
@calls JVM_SHUT_DOWN
}
@end

static KEPT void enable(jvmtiEvent event)
{
    ok((*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, event, NULL), "SetEventNotificationMode");
}

/* Before this most of JVMTI may not be called: the other events begin here, then comes what they have missed. */
static void JNICALL on_VMInit(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    (void)env, (void)jni, (void)thread;
@each late     enable($);
@if THREAD_START
    older_threads(jni);
@end
@if classes
    loaded_classes(jni);
@end
@if CLASS_LOAD_HOOK
    transform_loaded_classes(jni);
@end
@if births
    begin_births();
@end
@if COMPILED_METHOD_LOAD
    /* Code that is older than the agent. */
    ok((*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_COMPILED_METHOD_LOAD), "GenerateEvents");
@end
@if JVM_INIT_DONE
    jvm_init_done(jni);
@end
}

/* Other threads go on meanwhile: their events may still come. */
static void JNICALL on_VMDeath(jvmtiEnv *env, JNIEnv *jni)
{
    (void)env, (void)jni;
@if CLASS_LOAD
    loaded_classes(jni);
@end
@if JVM_SHUT_DOWN
    jvm_shut_down(jni);
@end
    print_counts();
@if CreateSystemThread
    stop_agent_thread();
@end
}

static char *value_of(const char *option, size_t length, const char *key)
{
    size_t key_length = strlen(key);
    char *value;

    if (length < key_length || strncmp(option, key, key_length) != 0)
        return NULL;
    value = calloc(1, length - key_length + 1);
    if (value != NULL)
        memcpy(value, option + key_length, length - key_length);
    return value;
}

static int read_options(const char *options)
{
    out = stderr;
    while (options != NULL && *options != '\0') {
        size_t length = strcspn(options, ",");
        char *file = value_of(options, length, "file=");
@if filter method-filter
        char *prefix = value_of(options, length, "include=");
@end

        if (file != NULL) {
            out = fopen(file, "w");
            if (out == NULL) {
                perror(file);
                return 0;
            }
            free(file);
@if filter method-filter
        } else if (prefix != NULL) {
            free(include);
            include = prefix;
@end
        } else if (length > 0) {
            fprintf(stderr, "agent: unknown option %.*s\n", (int)length, options);
        }
        options += length;
        options += *options == ',';
    }
    return 1;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    jvmtiCapabilities wanted;
    jvmtiEventCallbacks callbacks;

    (void)reserved;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) != JNI_OK) {
        fprintf(stderr, "agent: this VM has no JVMTI 11\n");
        return JNI_ERR;
    }
@if DATA_DUMP_REQUEST
    java_vm = vm;
@end
    if (!read_options(options))
        return JNI_ERR;
    /* All at once, and now: several cannot be had later. Of suspending and sampled allocation one agent at a time
     * has the capability; a second one gets none of what it asks for. */
    memset(&wanted, 0, sizeof wanted);
@each capability     wanted.$ = 1;
    if (!ok((*jvmti)->AddCapabilities(jvmti, &wanted), "AddCapabilities"))
        return JNI_ERR;
@if ids storage
    if (!ok((*jvmti)->CreateRawMonitor(jvmti, "_known", &known), "CreateRawMonitor"))
        return JNI_ERR;
@end
@if RawMonitorCreate RawMonitorEnter RawMonitorWait
    if (!ok((*jvmti)->CreateRawMonitor(jvmti, "_agent", &agent_monitor), "CreateRawMonitor"))
        return JNI_ERR;
@end
@if CreateSystemThread
    if (!ok((*jvmti)->CreateRawMonitor(jvmti, "_thread", &thread_monitor), "CreateRawMonitor"))
        return JNI_ERR;
@end
    /* A function for each event, instead of NotifyEvent. */
    memset(&callbacks, 0, sizeof callbacks);
@each callback     callbacks.$ = on_$;
    if (!ok((*jvmti)->SetEventCallbacks(jvmti, &callbacks, (jint)sizeof callbacks), "SetEventCallbacks"))
        return JNI_ERR;
@if births
    /* Before there are threads: each of them has drawn its next sample by the interval that was. */
    ok((*jvmti)->SetHeapSamplingInterval(jvmti, 0), "SetHeapSamplingInterval");
@end
@each early     enable($);
    return JNI_OK;
}

/*
 * An agent as people wrote them around 2000. Only compiled, as C89 and as C++,
 * to see that the header suits such sources without a change or a warning.
 */
#include <jni.h>
#include <jvmpi.h>
#include <stdio.h>
#include <string.h>

#define CALL(routine) (jvmpi_interface->routine)

static JVMPI_Interface *jvmpi_interface;
static JavaVM *jvm;
static JVMPI_RawMonitor data_lock;
static long allocated;
static char lock_name[] = "_agent data";
static char thread_name[] = "agent thread";

static void listener(void *arg)
{
    JNIEnv *env = NULL;
    void *penv = NULL;

    (void)arg;
#ifdef __cplusplus
    if (jvm->GetEnv(&penv, JNI_VERSION_1_2) < 0) {
        return;
    }
#else
    if ((*jvm)->GetEnv(jvm, &penv, JNI_VERSION_1_2) < 0) {
        return;
    }
#endif
    env = (JNIEnv *)penv;
    CALL(SetThreadLocalStorage)(env, &allocated);
}

static void heap_dump(JVMPI_Event *event)
{
    char *p = event->u.heap_dump.begin;

    while (p < event->u.heap_dump.end) {
        unsigned char tag = (unsigned char)*p++;
        jobjectID id;

        memcpy(&id, p, sizeof(jobjectID));
        p += sizeof(jobjectID);
        switch (tag) {
        case JVMPI_NORMAL_OBJECT:
        case JVMPI_CLASS:
            (void)CALL(RequestEvent)(JVMPI_EVENT_OBJ_ALLOC, id);
            break;
        case JVMPI_GC_CLASS_DUMP:
        case JVMPI_GC_ROOT_UNKNOWN:
        default:
            break;
        }
    }
}

static jint branch(JVMPI_Event *event)
{
    if (event->u.instruction.u.if_info.is_true == JNI_TRUE) {
        return event->u.instruction.u.tableswitch_info.key;
    }
#ifdef JVMPI_LOOKUPSWITCH_IS_DEFAULT
    return event->u.instruction.u.lookupswitch_info.is_default ? 1 : 0;
#else
    return event->u.instruction.u.lookupswitch_info.chosen_pair_index
        == event->u.instruction.u.lookupswitch_info.pairs_total;
#endif
}

static void class_load_hook(JVMPI_Event *event)
{
    unsigned char *copy;
    jint len = event->u.class_load_hook.class_data_len;

    copy = (unsigned char *)event->u.class_load_hook.malloc_f((unsigned int)len);
    memcpy(copy, event->u.class_load_hook.class_data, (size_t)len);
    event->u.class_load_hook.new_class_data = copy;
    event->u.class_load_hook.new_class_data_len = len;
}

static void notify_event(JVMPI_Event *event)
{
    JVMPI_CallFrame frames[4];
    JVMPI_CallTrace trace;
    char *name;
    int i;

    switch (event->event_type) {
    case JVMPI_EVENT_OBJ_ALLOC:
    case JVMPI_EVENT_OBJ_ALLOC | JVMPI_REQUESTED_EVENT:
        CALL(RawMonitorEnter)(data_lock);
        allocated += event->u.obj_alloc.size;
        CALL(RawMonitorExit)(data_lock);
        break;
    case JVMPI_EVENT_CLASS_LOAD:
        name = event->u.class_load.class_name;
        for (i = 0; i < event->u.class_load.num_methods; i++) {
            JVMPI_Method *method = &event->u.class_load.methods[i];
            printf("%s.%s%s\n", name, method->method_name, method->method_signature);
        }
        break;
    case JVMPI_EVENT_CLASS_LOAD_HOOK:
        class_load_hook(event);
        break;
    case JVMPI_EVENT_METHOD_ENTRY:
        trace.env_id = event->env_id;
        trace.frames = frames;
        CALL(GetCallTrace)(&trace, 4);
        if (trace.num_frames > 0 && trace.frames[0].method_id != event->u.method.method_id) {
            CALL(ProfilerExit)((jint)1);
        }
        break;
    case JVMPI_EVENT_INSTRUCTION_START:
        allocated += branch(event);
        break;
    case JVMPI_EVENT_DUMP_DATA_REQUEST: {
        JVMPI_HeapDumpArg arg;
        arg.heap_dump_level = JVMPI_DUMP_LEVEL_0;
        CALL(RunGC)();
        (void)CALL(RequestEvent)(JVMPI_EVENT_HEAP_DUMP, (void *)&arg);
        break;
    }
    case JVMPI_EVENT_HEAP_DUMP | JVMPI_REQUESTED_EVENT:
        heap_dump(event);
        break;
    case JVMPI_EVENT_JVM_INIT_DONE:
        (void)CALL(CreateSystemThread)(thread_name, JVMPI_NORMAL_PRIORITY, listener);
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        for (i = 1; i <= JVMPI_MAX_EVENT_TYPE_VAL; i++) {
            (void)CALL(DisableEvent)(i, NULL);
        }
        break;
    default:
        break;
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    static const jint wanted[] = {
        JVMPI_EVENT_OBJ_ALLOC, JVMPI_EVENT_OBJ_FREE, JVMPI_EVENT_OBJ_MOVE,
        JVMPI_EVENT_NEW_ARENA, JVMPI_EVENT_DELETE_ARENA, JVMPI_EVENT_LOAD_COMPILED_METHOD,
        JVMPI_EVENT_UNLOAD_COMPILED_METHOD, JVMPI_EVENT_RESET_DATA_REQUEST
    };
    void *p = NULL;
    jint res;
    size_t i;

    (void)reserved;
    jvm = vm;
    if (options == NULL) {
        options = lock_name;
    }
#ifdef __cplusplus
    res = vm->GetEnv(&p, JVMPI_VERSION_1);
#else
    res = (*vm)->GetEnv(vm, &p, JVMPI_VERSION_1);
#endif
    if (res < 0) {
        return JNI_ERR;
    }
    jvmpi_interface = (JVMPI_Interface *)p;
    jvmpi_interface->NotifyEvent = notify_event;
    data_lock = CALL(RawMonitorCreate)(options);
    for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        if (CALL(EnableEvent)(wanted[i], NULL) != JVMPI_SUCCESS) {
            return JNI_ERR;
        }
    }
    return JNI_OK;
}

/* Writes what depends on the host, to report.txt. */
#define _GNU_SOURCE
#include <jni.h>
#include <jvmpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static JVMPI_Interface *jvmpi;
static FILE *report;
static char class_name[20] = "?";
static const char *array_class = "?";
static JNIEnv *sleeper;
static jobjectID own_class;
static int arenas, last_arena, instructions, sleeps, global_roots, repeated_roots, waited, env_of_dump;
static const char *names_in_dumps[2] = { "?", "?" };

/* Whether a CLASS_DUMP has the class's name: class, super, loader, signers, domain, name. */
static const char *name_in(const char *record)
{
    jobjectID name;

    memcpy(&name, record + 1 + 5 * sizeof name, sizeof name);
    return name == NULL ? "none" : "some";
}

/* The roots come first: of each its kind, its object, and what the kind has. */
static void look_at_roots(const char *at, const char *end)
{
    while (at < end) {
        jobjectID object, reference;
        int kind = (unsigned char)*at;

        memcpy(&object, at + 1, sizeof object);
        at += 1 + sizeof object;
        memcpy(&reference, at, sizeof reference);
        switch (kind) {
        case JVMPI_GC_ROOT_JNI_GLOBAL:
            global_roots++;
            repeated_roots += reference == object;
            at += sizeof reference;
            break;
        case JVMPI_GC_ROOT_JNI_LOCAL:
        case JVMPI_GC_ROOT_JAVA_FRAME:
            at += sizeof(JNIEnv *) + 4;
            break;
        case JVMPI_GC_ROOT_NATIVE_STACK:
        case JVMPI_GC_ROOT_THREAD_BLOCK:
            at += sizeof(JNIEnv *);
            break;
        case JVMPI_GC_ROOT_UNKNOWN:
        case JVMPI_GC_ROOT_STICKY_CLASS:
        case JVMPI_GC_ROOT_MONITOR_USED:
            break;
        default:
            return;
        }
    }
}

static void look_at_dump(const char *begin, const char *end)
{
    char head[1 + sizeof own_class] = { JVMPI_GC_CLASS_DUMP };
    const char *record;

    memcpy(head + 1, &own_class, sizeof own_class);
    record = memmem(begin, end - begin, head, sizeof head);
    if (record != NULL)
        names_in_dumps[1] = name_in(record);
}

static void notify(JVMPI_Event *event)
{
    const char *name = event->u.class_load.class_name;

    if (event->event_type == JVMPI_EVENT_CLASS_LOAD && strlen(name) == 16 && memcmp(name + 10, "String", 6) == 0)
        strcpy(class_name, name);
    if (event->event_type == JVMPI_EVENT_CLASS_LOAD && strcmp(name, "Native") == 0)
        own_class = event->u.class_load.class_id;
    if (event->event_type == JVMPI_EVENT_ARENA_NEW)
        arenas++;
    if (event->event_type == JVMPI_EVENT_OBJECT_ALLOC)
        last_arena = event->u.obj_alloc.arena_id;
    if (event->event_type == (JVMPI_EVENT_OBJECT_DUMP | JVMPI_REQUESTED_EVENT))
        names_in_dumps[0] = name_in(event->u.object_dump.data);
    if (event->event_type == (JVMPI_EVENT_HEAP_DUMP | JVMPI_REQUESTED_EVENT))
        look_at_dump(event->u.heap_dump.begin, event->u.heap_dump.end);
    if (event->event_type == (JVMPI_EVENT_HEAP_DUMP | JVMPI_REQUESTED_EVENT))
        look_at_roots(event->u.heap_dump.begin, event->u.heap_dump.end);
    if (event->event_type == (JVMPI_EVENT_HEAP_DUMP | JVMPI_REQUESTED_EVENT))
        env_of_dump = event->env_id != NULL;
    if (event->event_type == JVMPI_EVENT_MONITOR_WAITED && event->u.monitor_wait.timeout >= 20)
        waited = 1;
    if (event->event_type == JVMPI_EVENT_MONITOR_WAIT && event->env_id == sleeper)
        sleeps++;
    if (event->event_type == JVMPI_EVENT_OBJECT_ALLOC && event->u.obj_alloc.is_array == JVMPI_CLASS)
        array_class = event->u.obj_alloc.class_id == NULL ? "none" : "some";
    if (event->event_type == JVMPI_EVENT_THREAD_START && strcmp(event->u.thread_start.thread_name, "sleeper") == 0)
        sleeper = event->u.thread_start.thread_env_id;
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    void *got;
    int i;

    report = fopen("report.txt", "w");
    if (report == NULL || (*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) != JNI_OK)
        return JNI_ERR;
    fprintf(report, "versions");
    for (i = 0; i < 3; i++)
        fprintf(report, " %d", (int)(*vm)->GetEnv(vm, &got, JVMPI_VERSION_1 + i));
    fprintf(report, ", field %x\n", (unsigned)jvmpi->version);
    jvmpi->NotifyEvent = notify;
    jvmpi->EnableEvent(JVMPI_EVENT_CLASS_LOAD, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_THREAD_START, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_ARENA_NEW, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_MONITOR_WAIT, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_MONITOR_WAITED, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_JNI_GLOBALREF_ALLOC, NULL);
    instructions = jvmpi->EnableEvent(JVMPI_EVENT_INSTRUCTION_START, NULL) == JVMPI_SUCCESS;
    return JNI_OK;
}

JNIEXPORT void JNICALL Java_Native_check(JNIEnv *env, jclass class, jstring what)
{
    JVMPI_HeapDumpArg no_level = { 99 };
    jlong before = jvmpi->GetCurrentThreadCpuTime();
    jint status;

    (*env)->NewGlobalRef(env, class);
    usleep(300000);
    fprintf(report, "class %s, array of %s, clock %s\n", class_name, array_class,
            jvmpi->GetCurrentThreadCpuTime() - before >= 290000000 ? "wall" : "cpu");
    jvmpi->DisableGC();
    fprintf(report, "request of NULL %d\n", (int)jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL));
    jvmpi->SuspendThread(sleeper);
    status = jvmpi->GetThreadStatus(sleeper);
    jvmpi->ResumeThread(sleeper);
    jvmpi->EnableGC();
    fprintf(report, "suspended %d\n", (status & JVMPI_THREAD_SUSPENDED) != 0);
    /* Class.getName keeps the name that dumps show. */
    (*env)->CallObjectMethod(env, class, (*env)->GetMethodID(env, (*env)->GetObjectClass(env, class), "getName",
                                                             "()Ljava/lang/String;"));
    jvmpi->DisableGC();
    jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_DUMP, own_class);
    jvmpi->EnableGC();
    jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, NULL);
    fprintf(report, "names in dumps: %s %s\n", names_in_dumps[0], names_in_dumps[1]);
    fprintf(report, "global roots of %s references\n",
            global_roots == 0 ? "no" : repeated_roots == 0 ? "their" : repeated_roots == global_roots ? "no such" : "some");
    fprintf(report, "dumps %d %d, sleeps %d\n", (int)jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, &no_level),
            (int)jvmpi->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, NULL), sleeps);
    fprintf(report, "arenas %d, objects in %d\n", arenas, last_arena);
    fprintf(report, "instructions %d, clock in %s\n", instructions,
            before % 1000000 == 0 && jvmpi->GetCurrentThreadCpuTime() % 1000000 == 0 ? "ms" : "ns");
    (*env)->MonitorEnter(env, class);
    (*env)->CallVoidMethod(env, class, (*env)->GetMethodID(env, (*env)->GetObjectClass(env, class), "wait", "(J)V"),
                           (jlong)30);
    (*env)->MonitorExit(env, class);
    fprintf(report, "waited %d, env of dumps %d\n", waited, env_of_dump);
    fflush(report);
}

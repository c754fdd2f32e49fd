/* A library of the program's that asks for JVMPI in a native method, as no -Xrun has named it: first for a clock alone,
 * and then for a heap in whose handler it asks for each object, and for its class. */
#include "check.h"

#define MAX_CLASSES 10000

static long objects, not_given, nameless, classes, not_described;
static jobjectID asked[MAX_CLASSES];

static void on_load(const char *options)
{
}

static void ask_for_class(jobjectID class)
{
    int i;

    for (i = 0; i < classes; i++)
        if (asked[i] == class)
            return;
    if (classes == MAX_CLASSES)
        return;
    asked[classes++] = class;
    if (jvmpi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, class) != JVMPI_SUCCESS)
        not_described++;
}

static int is_array;

/* At level 0 each record is a type and an id. */
static void ask_for_all(const char *at, const char *end)
{
    jobjectID id;

    for (; at < end; at += 1 + sizeof id) {
        memcpy(&id, at + 1, sizeof id);
        objects++;
        class_asked_for = NULL;
        if (jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, id) != JVMPI_SUCCESS)
            not_given++;
        else if (class_asked_for != NULL)
            ask_for_class(class_asked_for);
        else if (!is_array)
            nameless++;
    }
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_OBJECT_ALLOC)
        is_array = event->u.obj_alloc.is_array;
    if (type == JVMPI_EVENT_HEAP_DUMP)
        ask_for_all(event->u.heap_dump.begin, event->u.heap_dump.end);
}

/* Boxed numbers in the VM's archive have classes that nobody has used. */
static void use_archived(JNIEnv *env)
{
    static const char *const names[] = { "Byte", "Short", "Character", "Integer", "Long" };
    char name[40];
    unsigned i;

    for (i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(name, sizeof name, "java/lang/%s", names[i]);
        if ((*env)->FindClass(env, name) == NULL)
            say("FAIL there is no %s", name);
    }
}

static void check(JNIEnv *env, const char *what)
{
    JVMPI_HeapDumpArg level = { JVMPI_DUMP_LEVEL_0 };
    jlong before;
    long in_first;

    methods = calloc(MAX_NAMES, sizeof *methods);
    known_classes = calloc(MAX_NAMES, sizeof *known_classes);
    report_fd = open("report.txt", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    (*env)->GetJavaVM(env, &vm);
    expect("GetEnv", (*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1), JNI_OK);
    before = jvmpi->GetCurrentThreadCpuTime();
    burn_ms(20);
    verdict(jvmpi->GetCurrentThreadCpuTime() > before, "GetCurrentThreadCpuTime without NotifyEvent", (long)before);
    jvmpi->NotifyEvent = notify;
    expect("EnableEvent(OBJECT_ALLOC)", jvmpi->EnableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL), JVMPI_SUCCESS);
    expect("RequestEvent(HEAP_DUMP)", jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, &level), JVMPI_SUCCESS);
    verdict(objects > 1000 && classes > 100, "objects and classes", objects);
    expect("objects without OBJECT_ALLOC", not_given, 0);
    /* That of java.lang.Class has no class, so that nobody asks for ever. */
    expect("objects without a class", nameless, 1);
    expect("classes without CLASS_LOAD", not_described, 0);
    in_first = objects;
    objects = 0;
    use_archived(env);
    expect("another dump", jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, &level), JVMPI_SUCCESS);
    verdict(objects < in_first + 100, "objects that were in no dump before", objects - in_first);
}

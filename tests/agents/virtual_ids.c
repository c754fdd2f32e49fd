/* The objects of VirtualIds' virtual threads have one id each: that of their THREAD_START, whoever asks for
 * it and whenever, also before it and after they have ended; and one OBJECT_FREE. */
#include "check.h"

#define ROUNDS 3

static const char *const kinds[] = { "early", "parked", "ended", "nobody's" };
#define KINDS (int)(sizeof kinds / sizeof kinds[0])

static jobjectID ids[ROUNDS][KINDS], early[ROUNDS];
static long deaths[ROUNDS][KINDS];

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END, JVMPI_EVENT_OBJECT_FREE, 0 };

    (void)options;
    enable_all(events);
}

static void on_start(const JVMPI_Event *event)
{
    const char *name = event->u.thread_start.thread_name;
    int kind, round;

    for (kind = 0; kind < KINDS; kind++) {
        size_t length = strlen(kinds[kind]);

        if (strncmp(name, kinds[kind], length) == 0 && sscanf(name + length, " %d", &round) == 1 && round < ROUNDS)
            ids[round][kind] = event->u.thread_start.thread_id;
    }
}

static void on_free(jobjectID id)
{
    int i;

    for (i = 0; i < ROUNDS * KINDS; i++)
        if (ids[i / KINDS][i % KINDS] == id)
            deaths[i / KINDS][i % KINDS]++;
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_THREAD_START)
        on_start(event);
    else if (type == JVMPI_EVENT_OBJECT_FREE)
        on_free(event->u.obj_free.obj_id);
}

/* What a field of the program's has. */
static jobject thread_in(JNIEnv *env, const char *name)
{
    jclass program = (*env)->FindClass(env, "VirtualIds");
    jfieldID field = (*env)->GetStaticFieldID(env, program, name, "Ljava/lang/Thread;");
    jobject thread = (*env)->GetStaticObjectField(env, program, field);

    (*env)->DeleteLocalRef(env, program);
    return thread;
}

/* By the object, and back. */
static void ask(JNIEnv *env, int round)
{
    int kind;

    for (kind = 0; kind < KINDS - 1; kind++) {
        jobject thread = thread_in(env, kinds[kind]), back;

        expect(kinds[kind], (long)jvmpi->jobject2jobjectID(thread), (long)ids[round][kind]);
        back = jvmpi->jobjectID2jobject(ids[round][kind]);
        verdict((*env)->IsSameObject(env, back, thread), "the object of its id", round);
        (*env)->DeleteLocalRef(env, back);
        (*env)->DeleteLocalRef(env, thread);
    }
}

/* Before it starts. */
static void ask_early(JNIEnv *env, int round)
{
    jobject thread = thread_in(env, "early");

    early[round] = jvmpi->jobject2jobjectID(thread);
    (*env)->DeleteLocalRef(env, thread);
}

static void walk(void)
{
    JVMPI_HeapDumpArg argument = { JVMPI_DUMP_LEVEL_2 };

    expect("a dump", jvmpi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, &argument), JVMPI_SUCCESS);
}

static void collect(void)
{
    int tries, i, missing = 1;

    /* What a stack or a queue of the VM's holds for a moment is not collected at once. */
    for (tries = 0; tries < 50 && missing > 0; tries++) {
        jvmpi->RunGC();
        for (missing = i = 0; i < ROUNDS * KINDS; i++)
            missing += deaths[i / KINDS][i % KINDS] == 0;
    }
    for (i = 0; i < ROUNDS; i++)
        expect("the id before its THREAD_START", (long)early[i], (long)ids[i][0]);
    for (i = 0; i < ROUNDS * KINDS; i++)
        expect("OBJECT_FREE", deaths[i / KINDS][i % KINDS], 1);
}

static void check(JNIEnv *env, const char *what)
{
    int number;

    if (strcmp(what, "walk") == 0)
        walk();
    else if (sscanf(what, "early %d", &number) == 1 && number < ROUNDS)
        ask_early(env, number);
    else if (sscanf(what, "ids %d", &number) == 1 && number < ROUNDS)
        ask(env, number);
    else if (strncmp(what, "deaths", 6) == 0)
        collect();
}

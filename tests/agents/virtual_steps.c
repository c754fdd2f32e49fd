/* INSTRUCTION_START of VirtualSteps.rounds: what a virtual thread runs is told on its own env, whole and in
 * the order in which a platform thread with the same number of rounds runs it. */
#include "check.h"

#define THREADS 20
#define OFFSETS 256

/* Of each thread, in JVMPI's storage. */
struct own {
    int is_virtual, rounds; /* rounds 0: of another thread */
    long at[OFFSETS], all;
    unsigned long order;
};
static struct own *told[2][THREADS + 1];
static jmethodID rounds;
static long on_others, bad_offsets;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END, JVMPI_EVENT_CLASS_LOAD,
                                  JVMPI_EVENT_INSTRUCTION_START, JVMPI_EVENT_JVM_SHUT_DOWN, 0 };

    (void)options;
    enable_all(events);
}

static struct own *own_of(JNIEnv *env)
{
    struct own *own = jvmpi->GetThreadLocalStorage(env);
    struct known_thread *thread;
    int number;

    if (own != NULL)
        return own;
    own = calloc(1, sizeof *own);
    thread = thread_of(env);
    own->is_virtual = thread != NULL && sscanf(thread->name, "virtual %d", &number) == 1;
    if (own->is_virtual || (thread != NULL && sscanf(thread->name, "platform %d", &number) == 1))
        own->rounds = number;
    jvmpi->SetThreadLocalStorage(env, own);
    return own;
}

static void on_instruction(JVMPI_Event *event)
{
    jint offset = event->u.instruction.offset;
    struct own *own;

    if (event->u.instruction.method_id != rounds)
        return;
    own = own_of(event->env_id);
    if (own->rounds == 0)
        __atomic_add_fetch(&on_others, 1, __ATOMIC_RELAXED);
    if (offset < 0 || offset >= OFFSETS) {
        __atomic_add_fetch(&bad_offsets, 1, __ATOMIC_RELAXED);
        return;
    }
    own->at[offset]++;
    own->all++;
    own->order = own->order * 31 + (unsigned long)offset + 1;
}

static void on_end(JNIEnv *env)
{
    struct own *own = jvmpi->GetThreadLocalStorage(env);

    jvmpi->SetThreadLocalStorage(env, NULL);
    if (own != NULL && own->rounds > 0 && own->rounds <= THREADS)
        told[own->is_virtual][own->rounds] = own;
    else
        free(own);
}

static void report(void)
{
    long both = 0, same = 0, begun = 0, conditions = 0;
    int i, offset;

    for (i = 1; i <= THREADS; i++) {
        const struct own *one = told[1][i], *other = told[0][i];
        long most = 0;

        if (one == NULL || other == NULL)
            continue;
        both++;
        same += one->all == other->all && one->order == other->order;
        begun += one->at[0] == 1;
        for (offset = 0; offset < OFFSETS; offset++)
            most = one->at[offset] > most ? one->at[offset] : most;
        /* The loop's condition is asked once more than its body runs. */
        conditions += most == i + 1;
    }
    expect("threads of both kinds", both, THREADS);
    expect("as many instructions, in the same order", same, THREADS);
    expect("begun once", begun, THREADS);
    expect("as many rounds as were wished", conditions, THREADS);
    expect("instructions on other threads", on_others, 0);
    expect("offsets of no instruction", bad_offsets, 0);
}

static void on_event(JVMPI_Event *event, int type)
{
    struct known_method *method;

    switch (type) {
    case JVMPI_EVENT_CLASS_LOAD:
        method = rounds == NULL ? method_named("VirtualSteps", "rounds") : NULL;
        if (method != NULL)
            rounds = method->id;
        break;
    case JVMPI_EVENT_INSTRUCTION_START:
        on_instruction(event);
        break;
    case JVMPI_EVENT_THREAD_END:
        on_end(event->env_id);
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        report();
        break;
    }
}

static void check(JNIEnv *env, const char *what)
{
}

/* Brackets at odd moments: RunGC in JVM_INIT_DONE and in JVM_SHUT_DOWN, DisableGC while
 * deaths are being told, DisableGC in GC_START itself, both ends of a bracket switched in its middle, a system thread that ends in a bracket, clones after
 * DisableEvent(OBJECT_ALLOC), and silence after JVM_SHUT_DOWN. The option `stw` says
 * that RunGC collects in JVM_SHUT_DOWN too. */
#include "check.h"

/* int[1337] of Brackets.java, on a 64-bit VM: its header is smaller from JDK 27 on. */
#define IS_HELD_SIZE(size) ((size) == 5368 || (size) == 5360)

static int collects_at_the_end;
static JNIEnv *main_env;
static volatile int in_bracket, slow, over;
static volatile long brackets, frees, ends, end_inside;
static JNIEnv *volatile ender;
static jobjectID volatile held, held_freed;
static volatile int ended_in_bracket, noticed, has_disabled;
/* Its handler of GC_START is to disable GC; how many deaths had been told by then. */
static volatile int disables;
static volatile long frees_at_start;
/* GC_START and GC_FINISH are switched on and off all the time; how often one of them came without the other. */
static volatile int switching, switched, refuses;
static volatile long starts, unpaired;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN, JVMPI_EVENT_GC_START,
                                  JVMPI_EVENT_GC_FINISH, JVMPI_EVENT_OBJECT_ALLOC, JVMPI_EVENT_OBJECT_FREE,
                                  JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END, 0 };

    collects_at_the_end = strcmp(options, "stw") == 0;
    enable_all(events);
}

static int soon(volatile int *what)
{
    long until = now_ms() + 20000;

    while (!*what && now_ms() < until)
        sleep_ms(1);
    return *what;
}

/* Its THREAD_END is due while a bracket is open: it comes behind it. */
static void end_in_bracket(void *nothing)
{
    long until = now_ms() + 20000;

    (*vm)->GetEnv(vm, (void **)&ender, JNI_VERSION_1_2);
    /* The one that it has seen may be over when it looks again. */
    while (!(ended_in_bracket = in_bracket) && now_ms() < until)
        sleep_ms(1);
}

/* DisableGC waits for the end of the bracket; up to EnableGC there is no other one, and no death is
 * lost for it. */
static void disable_in_bracket(void *nothing)
{
    long before, brackets_before;

    verdict(soon(&in_bracket), "there is a bracket", in_bracket);
    noticed = 1;
    jvmpi->DisableGC();
    expect("the bracket has ended", in_bracket, 0);
    before = frees;
    brackets_before = brackets;
    sleep_ms(100);
    expect("brackets while GC is disabled", brackets - brackets_before, 0);
    expect("deaths told while GC is disabled", frees - before, 0);
    jvmpi->EnableGC();
    has_disabled = 1;
}

static void switch_ends(void *nothing)
{
    while (switching) {
        jvmpi->DisableEvent(JVMPI_EVENT_GC_START, NULL);
        jvmpi->DisableEvent(JVMPI_EVENT_GC_FINISH, NULL);
        jvmpi->EnableEvent(JVMPI_EVENT_GC_START, NULL);
        jvmpi->EnableEvent(JVMPI_EVENT_GC_FINISH, NULL);
        sleep_ms(1);
    }
    switched = 1;
}

static void on_event(JVMPI_Event *event, int type)
{
    long before;

    if (over)
        say("FAIL event %d after JVM_SHUT_DOWN", type);
    switch (type) {
    case JVMPI_EVENT_JVM_INIT_DONE:
        main_env = event->env_id;
        before = brackets;
        jvmpi->RunGC();
        verdict(brackets > before, "RunGC in JVM_INIT_DONE sends its bracket", brackets - before);
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        expect("it comes outside of a bracket", in_bracket, 0);
        before = brackets;
        jvmpi->RunGC();
        if (collects_at_the_end)
            verdict(brackets > before, "RunGC in JVM_SHUT_DOWN sends its bracket", brackets - before);
        expect("THREAD_END of the system thread, once", ends, 1);
        expect("and not in the bracket", end_inside, 0);
        over = 1;
        break;
    case JVMPI_EVENT_GC_START:
        unpaired += in_bracket;
        in_bracket = 1;
        starts++;
        if (switching)
            sleep_ms(3);
        if (refuses)
            jvmpi->DisableEvent(JVMPI_EVENT_GC_FINISH, NULL);
        /* A thread that has no processor just now misses a short one. */
        for (before = 0; before < 500 && slow && !noticed; before++)
            sleep_ms(1);
        if (disables) {
            jvmpi->DisableGC();
            frees_at_start = frees;
        }
        break;
    case JVMPI_EVENT_GC_FINISH:
        unpaired += !in_bracket;
        if (disables) {
            disables = 0;
            expect("deaths told after DisableGC in GC_START", frees - frees_at_start, 0);
            jvmpi->EnableGC();
        }
        in_bracket = 0;
        brackets++;
        break;
    case JVMPI_EVENT_THREAD_END:
        if (event->env_id == ender) {
            ends++;
            end_inside += in_bracket;
            ender = NULL;
        }
        break;
    case JVMPI_EVENT_OBJECT_ALLOC:
        if (held == NULL && main_env != NULL && event->env_id == main_env &&
            event->u.obj_alloc.is_array == JVMPI_INT && IS_HELD_SIZE(event->u.obj_alloc.size))
            held = event->u.obj_alloc.obj_id;
        break;
    case JVMPI_EVENT_OBJECT_FREE:
        frees++;
        if (slow && frees % 16 == 0)
            sleep_ms(1);
        if (held != NULL && event->u.obj_free.obj_id == held)
            held_freed = held;
        break;
    }
}

static void check(JNIEnv *env, const char *what)
{
    long before = frees;
    int i;

    if (strcmp(what, "held") == 0) {
        verdict(held != NULL, "the object's OBJECT_ALLOC", 0);
        jvmpi->DisableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL);
    } else if (strcmp(what, "still") == 0) {
        /* Back from here whatever has died was told of. */
        jvmpi->RunGC();
        expect("a clone is not taken for the object before it", (long)held_freed, 0);
    } else if (strcmp(what, "threads") == 0) {
        slow = 1;
        expect("CreateSystemThread", jvmpi->CreateSystemThread("ends", 5, end_in_bracket), JNI_OK);
        expect("CreateSystemThread", jvmpi->CreateSystemThread("disables", 5, disable_in_bracket), JNI_OK);
    } else if (strcmp(what, "ended") == 0) {
        verdict(soon(&ended_in_bracket), "a system thread has ended in a bracket", ended_in_bracket);
        soon(&has_disabled);
        slow = 0;
    } else if (strcmp(what, "disables") == 0) {
        disables = 1;
        jvmpi->RunGC();
        expect("there was a bracket", disables, 0);
        jvmpi->RunGC();
        verdict(frees > before, "what has died is told of in a later one", frees - before);
    } else if (strcmp(what, "switches") == 0) {
        expect("GC_START or GC_FINISH without the other", unpaired, 0);
        before = starts;
        switching = 1;
        expect("CreateSystemThread", jvmpi->CreateSystemThread("switches", 5, switch_ends), JNI_OK);
        for (i = 0; i < 30 || (i < 300 && starts - before < 10); i++)
            jvmpi->RunGC();
        switching = 0;
        soon(&switched);
        verdict(starts - before >= 10, "brackets while both ends are switched", starts - before);
        jvmpi->RunGC();
        expect("one without the other, while both are switched", unpaired, 0);
        /* A handler means the bracket that it is in. */
        refuses = 1;
        jvmpi->RunGC();
        refuses = 0;
        expect("GC_FINISH that GC_START's handler has disabled", !in_bracket, 0);
        in_bracket = 0;
        before = starts;
        jvmpi->RunGC();
        verdict(starts > before && in_bracket, "GC_START alone, once GC_FINISH is disabled", starts - before);
        in_bracket = 0;
        jvmpi->EnableEvent(JVMPI_EVENT_GC_FINISH, NULL);
    }
}

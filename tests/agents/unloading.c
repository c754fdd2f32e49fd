/* Ids of two classes of one loader between their CLASS_UNLOADs and the OBJECT_FREEs of their Class
 * objects: in the handlers, and while the agent has held the bracket empty by DisableGC. */
#include "check.h"

static struct dying {
    jobjectID class;
    jmethodID method;
    int unloads, frees;
} dead[2], living;
static int held, unloads, frees, named_again, loads_again, wrong_frames, traces;

/* What an agent is told when it asks. */
static __thread int answers;

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_CLASS_UNLOAD, JVMPI_EVENT_OBJECT_ALLOC,
                                  JVMPI_EVENT_OBJECT_FREE, JVMPI_EVENT_GC_START, JVMPI_EVENT_GC_FINISH, 0 };

    enable_all(events);
}

static struct dying *dying(jobjectID class)
{
    return class == NULL ? NULL : class == dead[0].class ? &dead[0] : class == dead[1].class ? &dead[1] : NULL;
}

/* How many of the answers are what they must not be. */
static int ask_about(const struct dying *gone)
{
    int wrong = 0;

    answers = 0;
    wrong += jvmpi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, gone->class) != JVMPI_FAIL;
    wrong += jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, gone->class) != JVMPI_FAIL;
    wrong += jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_DUMP, gone->class) != JVMPI_FAIL;
    wrong += jvmpi->RequestEvent(JVMPI_EVENT_THREAD_START, gone->class) != JVMPI_FAIL;
    wrong += jvmpi->GetMethodClass(gone->method) != NULL;
    wrong += jvmpi->jobjectID2jobject(gone->class) != NULL;
    return wrong + answers;
}

static void expect_dead(const char *where)
{
    char what[200];

    snprintf(what, sizeof what, "wrong answers about dead classes %s", where);
    expect(what, ask_about(&dead[0]) + ask_about(&dead[1]), 0);
    snprintf(what, sizeof what, "the class of a living method %s", where);
    expect(what, (long)jvmpi->GetMethodClass(living.method), (long)living.class);
}

static void on_event(JVMPI_Event *event, int type)
{
    struct dying *gone;

    if (event->event_type & JVMPI_REQUESTED_EVENT) {
        answers++;
        return;
    }
    switch (type) {
    case JVMPI_EVENT_CLASS_UNLOAD:
        gone = dying(event->u.class_unload.class_id);
        if (gone != NULL && gone->unloads++ == 0 && unloads++ == 1)
            expect("wrong answers about a dead class in another's CLASS_UNLOAD",
                   ask_about(gone == dead ? &dead[1] : dead), 0);
        break;
    case JVMPI_EVENT_GC_START:
        if (unloads == 2 && !held) {
            held = 1;
            expect_dead("in GC_START");
            /* Nothing is told in this bracket: the ids stay. */
            jvmpi->DisableGC();
        }
        break;
    case JVMPI_EVENT_OBJECT_FREE:
        gone = dying(event->u.obj_free.obj_id);
        if (gone != NULL && gone->frees++ == 0 && frees++ == 0)
            expect_dead("in an OBJECT_FREE");
        break;
    case JVMPI_EVENT_OBJECT_ALLOC:
        if (held && frees == 0)
            named_again += dying(event->u.obj_alloc.obj_id) || dying(event->u.obj_alloc.class_id);
        break;
    case JVMPI_EVENT_CLASS_LOAD:
        if (held && frees == 0) {
            loads_again++;
            named_again += dying(event->u.class_load.class_id) != NULL;
        }
        break;
    }
}

static void look_at_stack(JNIEnv *env)
{
    JVMPI_CallFrame frames[20];
    JVMPI_CallTrace trace = { env, 0, frames };
    struct known_method *method;
    int i;

    jvmpi->GetCallTrace(&trace, 20);
    traces += trace.num_frames > 1;
    for (i = 0; i < trace.num_frames; i++) {
        method = method_by_id(frames[i].method_id);
        if (method == NULL || dying(jvmpi->GetMethodClass(frames[i].method_id)))
            wrong_frames++;
    }
}

static void find(const char *name, struct dying *class)
{
    struct known_method *method = method_named(name, "method");

    if (method != NULL) {
        class->class = method->class_id;
        class->method = method->id;
    }
}

static void check(JNIEnv *env, const char *what)
{
    int i;

    if (strcmp(what, "loaded") == 0) {
        find("Unloading$Unloaded", &dead[0]);
        find("Unloading$Another", &dead[1]);
        find("Unloading", &living);
        for (i = 0; i < 2; i++) {
            verdict(dead[i].class != NULL, "CLASS_LOAD", 0);
            expect("GetMethodClass", (long)jvmpi->GetMethodClass(dead[i].method), (long)dead[i].class);
            expect("RequestEvent(CLASS_LOAD)", jvmpi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, dead[i].class),
                   JVMPI_SUCCESS);
            expect("RequestEvent(OBJECT_ALLOC)", jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, dead[i].class),
                   JVMPI_SUCCESS);
        }
    } else if (strcmp(what, "dropped") == 0) {
        for (i = 0; i < 20 && !held; i++)
            jvmpi->RunGC();
        expect("CLASS_UNLOADs", unloads, 2);
        expect("OBJECT_FREEs meanwhile", frees, 0);
        expect_dead("between CLASS_UNLOAD and OBJECT_FREE");
    } else if (strcmp(what, "again") == 0) {
        look_at_stack(env);
    } else {
        verdict(loads_again > 0, "classes that are loaded meanwhile", loads_again);
        expect("events that name a dead class", named_again, 0);
        verdict(traces > 0, "stacks", traces);
        expect("frames of a dead class", wrong_frames, 0);
        expect_dead("after that");
        jvmpi->EnableGC();
        for (i = 0; i < 20 && frees < 2; i++)
            jvmpi->RunGC();
        expect("OBJECT_FREE of each, once", dead[0].frees * 10 + dead[1].frees, 11);
        expect("CLASS_UNLOAD of each, once", dead[0].unloads * 10 + dead[1].unloads, 11);
        expect_dead("at last");
    }
}

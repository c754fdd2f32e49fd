/* Asks GetCallTrace of its own thread in every kind of event, and holds what it gets against
 * GetStackTrace of an environment of its own, asked at the same place. */
#include "check.h"
#include <jvmti.h>
#include <sys/mman.h>

enum { DEPTH = 4000, KINDS = 100 };

static jvmtiEnv *jvmti;
/* Every event of every thread is looked at. */
static int all;
/* Others give methods other lines and leave their code alone: ids stay then, also of those that run. */
static int lines_change;
/* Now and then others get an id that is none, as from VMs up to 21 beside a redefinition. */
static int gives_wrong_ids;
static long wrong_ids;
enum { LINES = 16 };
/* Of the caller of Native.check, in thousands: which are among the lines that it was seen at. */
static unsigned long thousands;
static long compared[KINDS], calls[KINDS], empty, differing, deepest, moved;

/* Traces of more frames than LONG, and how many of those came without asking GetStackTrace. */
enum { LONG = 8 };
static long long_ones, walked;
static __thread long asked;
static jvmtiError(JNICALL *vms_own)(jvmtiEnv *, jthread, jint, jint, jvmtiFrameInfo *, jint *);

static jvmtiError JNICALL counted(jvmtiEnv *env, jthread thread, jint start, jint max, jvmtiFrameInfo *frames,
                                  jint *count)
{
    jvmtiError error = vms_own(env, thread, start, max, frames, count);

    asked++;
    if (gives_wrong_ids && env != jvmti && error == JVMTI_ERROR_NONE && *count > 0 && asked % 5 == 0) {
        frames[asked / 5 % *count].method = (jmethodID)0x6431;
        __atomic_fetch_add(&wrong_ids, 1, __ATOMIC_RELAXED);
    }
    return error;
}

/* HotSpot's environments, so the shim's too, share one table: ours is called for all of them. */
static void count_stack_traces(void)
{
    void **place = (void **)&((struct jvmtiInterface_1_ *)*jvmti)->GetStackTrace;
    unsigned long size = (unsigned long)sysconf(_SC_PAGESIZE), page = (unsigned long)place & ~(size - 1);
    jvmtiFrameInfo frame;
    jint count;
    long before = asked;

    vms_own = (*jvmti)->GetStackTrace;
    if (mprotect((void *)page, size, PROT_READ | PROT_WRITE) == 0)
        __atomic_store_n(place, (void *)counted, __ATOMIC_RELEASE);
    else
        say("FAIL the table of JVMTI's functions cannot be written");
    (*jvmti)->GetStackTrace(jvmti, NULL, 0, 1, &frame, &count);
    if (asked != before + 1)
        say("FAIL calls of GetStackTrace are not counted");
}

static void on_load(const char *options)
{
    static const int events[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_CLASS_UNLOAD,
                                  JVMPI_EVENT_CLASS_LOAD_HOOK, JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END,
                                  JVMPI_EVENT_OBJECT_ALLOC, JVMPI_EVENT_OBJECT_FREE, JVMPI_EVENT_GC_START,
                                  JVMPI_EVENT_GC_FINISH, JVMPI_EVENT_MONITOR_CONTENDED_ENTER,
                                  JVMPI_EVENT_MONITOR_CONTENDED_ENTERED, JVMPI_EVENT_MONITOR_CONTENDED_EXIT,
                                  JVMPI_EVENT_MONITOR_WAIT, JVMPI_EVENT_MONITOR_WAITED,
                                  JVMPI_EVENT_JNI_GLOBALREF_ALLOC, JVMPI_EVENT_JNI_GLOBALREF_FREE,
                                  JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC, JVMPI_EVENT_COMPILED_METHOD_LOAD,
                                  JVMPI_EVENT_JVM_SHUT_DOWN, 0 };

    static const int few[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN, 0 };

    /* With few of them nothing but traces rests on classes' code. */
    enable_all(strncmp(options, "few", 3) == 0 ? few : events);
    all = strcmp(options, "all") == 0;
    lines_change = strstr(options, "lines") != NULL;
    gives_wrong_ids = strstr(options, "wrong") != NULL;
}

/* Agents see neither hidden classes nor the shim's hooks. */
static int is_shown(JNIEnv *env, jmethodID method)
{
    jclass class;
    jboolean modifiable = JNI_FALSE;
    char *signature = NULL;
    int shown;

    if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) != JVMTI_ERROR_NONE)
        return 0;
    (*jvmti)->IsModifiableClass(jvmti, class, &modifiable);
    (*jvmti)->GetClassSignature(jvmti, class, &signature, NULL);
    shown = modifiable && signature != NULL && strstr(signature, "JvmpiHooks") == NULL;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    (*env)->DeleteLocalRef(env, class);
    return shown;
}

/* The ids are equal, or the VM's is that of an old version of the method. */
static int is_same(JNIEnv *env, jmethodID ours, jmethodID vms)
{
    char *names[2] = { NULL, NULL }, *signatures[2] = { NULL, NULL };
    jclass classes[2];
    jboolean obsolete = JNI_FALSE;
    int same;

    if (ours == vms)
        return 1;
    if ((*jvmti)->IsMethodObsolete(jvmti, vms, &obsolete) != JVMTI_ERROR_NONE || !obsolete
        || (*jvmti)->GetMethodName(jvmti, ours, &names[0], &signatures[0], NULL) != JVMTI_ERROR_NONE
        || (*jvmti)->GetMethodName(jvmti, vms, &names[1], &signatures[1], NULL) != JVMTI_ERROR_NONE)
        return 0;
    (*jvmti)->GetMethodDeclaringClass(jvmti, ours, &classes[0]);
    (*jvmti)->GetMethodDeclaringClass(jvmti, vms, &classes[1]);
    same = strcmp(names[0], names[1]) == 0 && strcmp(signatures[0], signatures[1]) == 0
           && (*env)->IsSameObject(env, classes[0], classes[1]);
    (*env)->DeleteLocalRef(env, classes[0]);
    (*env)->DeleteLocalRef(env, classes[1]);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)names[0]);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)names[1]);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signatures[0]);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signatures[1]);
    return same;
}

/* As JVMPI has it: -3 native, -1 unknown. */
static jint line_of(const jvmtiFrameInfo *frame)
{
    jvmtiLineNumberEntry *table;
    jint count, i, line = -1;

    if (frame->location < 0)
        return -3;
    if ((*jvmti)->GetLineNumberTable(jvmti, frame->method, &count, &table) != JVMTI_ERROR_NONE)
        return -1;
    for (i = 0; i < count; i++)
        if (table[i].start_location <= frame->location)
            line = table[i].line_number;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)table);
    return line;
}

static void differs(int type, int depth, int at, const JVMPI_CallTrace *trace, const jvmtiFrameInfo *infos, int count)
{
    int i;

    if (__atomic_fetch_add(&differing, 1, __ATOMIC_RELAXED) >= 3)
        return;
    say("FAIL event %d, depth %d: frame %d of %d is not that of GetStackTrace (%d)", type, depth, at,
        trace->num_frames, count);
    for (i = 0; i < 25; i++) {
        char *ours = NULL, *vms = NULL;

        if (i < trace->num_frames)
            (*jvmti)->GetMethodName(jvmti, trace->frames[i].method_id, &ours, NULL, NULL);
        if (i < count)
            (*jvmti)->GetMethodName(jvmti, infos[i].method, &vms, NULL, NULL);
        say("  %s:%d %s@%d", ours ? ours : "-", i < trace->num_frames ? trace->frames[i].lineno : 0,
            vms ? vms : "-", i < count ? (int)infos[i].location : 0);
    }
}

/* Buffers of this thread: stacks are deep, and handlers are called within handlers. */
struct buffers {
    jvmtiFrameInfo before[DEPTH], after[DEPTH];
    JVMPI_CallFrame frames[DEPTH];
    jint lines[LINES];
    int busy;
};

static __thread struct buffers *own;
/* Every event of this thread is looked at. */
static __thread int each;

/* Up to 21 an id may be none beside a redefinition, and the VM follows it: it would not come twice. */
static int stack(jvmtiFrameInfo *frames, jvmtiFrameInfo *again, jint *count)
{
    jint second, times;

    for (times = 0; times < 9; times++)
        if ((*jvmti)->GetStackTrace(jvmti, NULL, 0, DEPTH, frames, count) == JVMTI_ERROR_NONE
            && (*jvmti)->GetStackTrace(jvmti, NULL, 0, DEPTH, again, &second) == JVMTI_ERROR_NONE
            && second == *count && memcmp(frames, again, (size_t)*count * sizeof *again) == 0)
            return 1;
    return 0;
}

/* All of the stack, if it is to be whole; else as much as it happens to be. */
static void compare(JNIEnv *env, int type, int whole)
{
    static const int depths[] = { 4, 1, DEPTH, 2, 16, 4, 40, 3, 10, 400 };
    long number = __atomic_fetch_add(&calls[type], 1, __ATOMIC_RELAXED);
    int depth = whole ? DEPTH : depths[number % 10];
    JVMPI_CallTrace trace = { env, -1, NULL };
    JNIEnv *jni;
    jint count = 0, again = 0;
    int at = 0, i, line, changed = 0;
    long of_vm;

    /* The first ones of a kind, and then some. */
    if (!all && !each && !whole && number > 200 && number % 101 != 0)
        return;
    if (env == NULL || (*vm)->GetEnv(vm, (void **)&jni, JNI_VERSION_1_2) != JNI_OK || jni != env)
        return;
    if (own == NULL)
        own = calloc(1, sizeof *own);
    if (own == NULL || own->busy)
        return;
    own->busy = 1;
    trace.frames = own->frames;
    if (stack(own->before, own->after, &count)) {
        for (i = 0; lines_change && i < count && i < LINES; i++)
            own->lines[i] = line_of(&own->before[i]);
        of_vm = asked;
        jvmpi->GetCallTrace(&trace, depth);
        of_vm = asked - of_vm;
        /* Before it is looked whether methods have been redefined: of one that has been the VM tells other lines. */
        for (i = 0; i < count && at < depth; i++) {
            if (!is_shown(env, own->before[i].method))
                continue;
            line = line_of(&own->before[i]);
            changed |= lines_change && i < LINES && line != own->lines[i];
            if (at >= trace.num_frames || !is_same(env, trace.frames[at].method_id, own->before[i].method)
                || trace.frames[at].lineno != line)
                break;
            at++;
        }
        if (changed || (*jvmti)->GetStackTrace(jvmti, NULL, 0, DEPTH, own->after, &again) != JVMTI_ERROR_NONE
            || again != count || memcmp(own->before, own->after, (size_t)count * sizeof *own->after) != 0) {
            /* Methods have been redefined. */
            __atomic_fetch_add(&moved, 1, __ATOMIC_RELAXED);
        } else if (trace.num_frames == 0) {
            __atomic_fetch_add(&empty, count > 0, __ATOMIC_RELAXED);
        } else {
            if (at != trace.num_frames || (i < count && at < depth))
                differs(type, depth, at, &trace, own->before, count);
            __atomic_fetch_add(&compared[type], 1, __ATOMIC_RELAXED);
            if (lines_change && type == 0 && trace.num_frames > 1 && trace.frames[1].lineno >= 0)
                __atomic_fetch_or(&thousands, 1ul << trace.frames[1].lineno / 1000 % 64, __ATOMIC_RELAXED);
            if (trace.num_frames > LONG) {
                __atomic_fetch_add(&long_ones, 1, __ATOMIC_RELAXED);
                __atomic_fetch_add(&walked, of_vm == 0, __ATOMIC_RELAXED);
            }
            if (trace.num_frames > deepest)
                deepest = trace.num_frames;
        }
    }
    own->busy = 0;
}

static void on_event(JVMPI_Event *event, int type)
{
    if (type == JVMPI_EVENT_JVM_INIT_DONE) {
        jvmtiCapabilities capabilities;

        if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
            say("FAIL no JVMTI");
        memset(&capabilities, 0, sizeof capabilities);
        capabilities.can_get_line_numbers = 1;
        (*jvmti)->AddCapabilities(jvmti, &capabilities);
        count_stack_traces();
    }
    if (jvmti != NULL && type < KINDS)
        compare(event->env_id, type, 0);
    if (type == JVMPI_EVENT_JVM_SHUT_DOWN)
        say("allocations: %ld", compared[JVMPI_EVENT_OBJECT_ALLOC]);
}

/* Lines as the file has them are below the first thousand. */
static int lines_have_moved(void)
{
    return __builtin_popcountl(__atomic_load_n(&thousands, __ATOMIC_RELAXED) & ~1ul) > 1;
}

/* The program goes on until then, if not for ever. */
static void say_when_enough(void)
{
    static int said;

    if (compared[0] > 100 && (!lines_change || lines_have_moved()) && !__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
        close(open("enough", O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
}

static void check(JNIEnv *env, const char *what)
{
    static const struct {
        int type;
        const char *name;
    } seen[] = {
        { JVMPI_EVENT_OBJECT_ALLOC, "OBJECT_ALLOC" },
        { JVMPI_EVENT_CLASS_LOAD, "CLASS_LOAD" },
        { JVMPI_EVENT_MONITOR_CONTENDED_ENTERED, "MONITOR_CONTENDED_ENTERED" },
        { JVMPI_EVENT_MONITOR_WAITED, "MONITOR_WAITED" },
        { JVMPI_EVENT_METHOD_ENTRY, "METHOD_ENTRY" },
        { JVMPI_EVENT_METHOD_EXIT, "METHOD_EXIT" },
    };
    unsigned i;

    compare(env, 0, strcmp(what, "whole") == 0);
    if (strcmp(what, "look") == 0)
        say_when_enough();
    if (strcmp(what, "each") == 0)
        each = 1;
    if (strcmp(what, "some") == 0)
        each = 0;
    if (strcmp(what, "methods") == 0) {
        jvmpi->EnableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL);
        jvmpi->EnableEvent(JVMPI_EVENT_METHOD_EXIT, NULL);
    }
    if (strcmp(what, "no methods") == 0) {
        jvmpi->DisableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL);
        jvmpi->DisableEvent(JVMPI_EVENT_METHOD_EXIT, NULL);
    }
    if (gives_wrong_ids && strcmp(what, "done") == 0)
        verdict(wrong_ids > 100, "ids that are none", wrong_ids);
    if (strcmp(what, "lines") == 0) {
        if (lines_change)
            verdict(lines_have_moved(), "lines that have moved", (long)thousands);
        verdict(compared[0] > 100, "calls of natives", compared[0]);
        verdict(differing == 0, "the same frames", differing);
    }
    if (strcmp(what, "done") != 0)
        return;
    for (i = 0; i < sizeof seen / sizeof *seen; i++)
        verdict(compared[seen[i].type] > 0, seen[i].name, compared[seen[i].type]);
    verdict(compared[0] > 100, "calls of natives", compared[0]);
    verdict(deepest > 1000, "deep stacks", deepest);
    verdict(differing == 0, "the same frames", differing);
    verdict(empty < 100, "traces that are to be had", empty);
    say("long=%ld walked=%ld", long_ones, walked);
    say("empty=%ld redefined=%ld deepest=%ld natives=%ld", empty, moved, deepest, compared[0]);
    for (i = 0; i < KINDS; i++)
        if (compared[i] > 0)
            say("event %u: %ld of %ld", i, compared[i], calls[i]);
}

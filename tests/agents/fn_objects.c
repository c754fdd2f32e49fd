/* Objects: RequestEvent(OBJECT_ALLOC, CLASS_LOAD, THREAD_START), jobjectID2jobject
 * and back, GetMethodClass, with good ids, stale ones, ids of other kinds and
 * nonsense; RunGC and DisableGC as an agent sees them (JVMPI facts B.2, B.12 to
 * B.14, C.3). The program is Objects.java. With the option `renumber` ids change
 * when objects move, with `immortal` classes are never unloaded.
 * Longer than most: one program, and one list of ids that all of it is asked with. */
#include "live.h"

#define MAX_DYING 1000

/* live.number of what had its CLASS_LOAD only, and of the first that is to die. */
#define CLASS_ONLY 1
#define DYING 2

/* The last requested event of a thread. */
static __thread struct {
    int events, good;
    JVMPI_Event event;
    char class_name[100];
} answer;

static __thread int starts, finishes, bad_order;
static __thread long frees_inside;

static long allocs, frees, moves, deletions, unloads, twice, unknown_free, move_failures, bad_gc_info, worst_count;
static int renumber, immortal;

static pthread_mutex_t dying_mutex = PTHREAD_MUTEX_INITIALIZER;
static jobjectID dying_class, dying[MAX_DYING];
static int dying_count, dead_count;
static jobjectID unloaded_class, unloaded_now;
static jmethodID unloaded_method;
static int unloaded;

static const int enabled[] = { JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN, JVMPI_EVENT_THREAD_START,
                               JVMPI_EVENT_THREAD_END, JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_CLASS_UNLOAD,
                               JVMPI_EVENT_OBJECT_ALLOC, JVMPI_EVENT_OBJECT_FREE, JVMPI_EVENT_OBJECT_MOVE,
                               JVMPI_EVENT_ARENA_NEW, JVMPI_EVENT_ARENA_DELETE, JVMPI_EVENT_GC_START,
                               JVMPI_EVENT_GC_FINISH, 0 };

/* ---- requests ---- */

/* The result of a request; the event is in `answer`. */
static jint ask(int type, jobjectID id)
{
    answer.events = 0;
    answer.good = 1;
    return jvmpi->RequestEvent(type, id);
}

static void requested(JVMPI_Event *event, int type)
{
    JNIEnv *own = NULL;

    (*vm)->GetEnv(vm, (void **)&own, JNI_VERSION_1_2);
    answer.events++;
    answer.good &= event->env_id == own;
    answer.event = *event;
    if (type == JVMPI_EVENT_CLASS_LOAD)
        snprintf(answer.class_name, sizeof answer.class_name, "%s", event->u.class_load.class_name);
}

static void refused(const char *what, const char *of, int type, jobjectID id)
{
    char text[200];
    jint result = ask(type, id);

    snprintf(text, sizeof text, "RequestEvent(%s) of %s fails", what, of);
    expect(text, result, JVMPI_FAIL);
    snprintf(text, sizeof text, "RequestEvent(%s) of %s sends nothing", what, of);
    expect(text, answer.events, 0);
}

static void is_nothing(const char *of, jobjectID id)
{
    char text[200];

    jvmpi->DisableGC();
    refused("OBJECT_ALLOC", of, JVMPI_EVENT_OBJECT_ALLOC, id);
    refused("CLASS_LOAD", of, JVMPI_EVENT_CLASS_LOAD, id);
    refused("THREAD_START", of, JVMPI_EVENT_THREAD_START, id);
    snprintf(text, sizeof text, "jobjectID2jobject of %s", of);
    expect(text, (long)jvmpi->jobjectID2jobject(id), 0);
    jvmpi->EnableGC();
}

/* ---- events ---- */

static void on_alloc(JVMPI_Event *event)
{
    struct live object = { 0 };

    object.id = event->u.obj_alloc.obj_id;
    object.class_id = event->u.obj_alloc.class_id;
    object.is_array = event->u.obj_alloc.is_array;
    object.size = event->u.obj_alloc.size;
    object.arena = event->u.obj_alloc.arena_id;
    __atomic_add_fetch(&allocs, 1, __ATOMIC_RELAXED);
    if (object.class_id != NULL && object.class_id == dying_class && object.is_array == JVMPI_NORMAL_OBJECT) {
        pthread_mutex_lock(&dying_mutex);
        if (dying_count < MAX_DYING) {
            object.number = DYING + dying_count;
            dying[dying_count++] = object.id;
        }
        pthread_mutex_unlock(&dying_mutex);
    }
    if (!live_put(&object))
        __atomic_add_fetch(&twice, 1, __ATOMIC_RELAXED);
}

static int living(jobjectID id)
{
    struct live object;

    return live_get(id, &object);
}

/* Those that went with their arena; another object may have the id by now. */
static void count_swept(void)
{
    struct live object;
    int i;

    pthread_mutex_lock(&dying_mutex);
    for (dead_count = i = 0; i < dying_count; i++)
        dead_count += !live_get(dying[i], &object) || object.number != DYING + i;
    pthread_mutex_unlock(&dying_mutex);
}

static void on_move(JVMPI_Event *event)
{
    jobjectID from = event->u.obj_move.obj_id, to = event->u.obj_move.new_obj_id;
    struct live object;

    __atomic_add_fetch(&moves, 1, __ATOMIC_RELAXED);
    if (live_remove(from, &object)) {
        object.id = to;
        object.arena = event->u.obj_move.new_arena_id;
        live_put(&object);
        if (object.number >= DYING)
            dying[object.number - DYING] = to;
    }
    if (dying_class == from)
        dying_class = to;
    if (unloaded_now == from)
        unloaded_now = to;
    /* An agent of the period asks here, and insists. */
    if (moves % 97 == 0 && ask(JVMPI_EVENT_OBJECT_ALLOC, to) != JVMPI_SUCCESS)
        __atomic_add_fetch(&move_failures, 1, __ATOMIC_RELAXED);
}

static void on_gc_finish(JVMPI_Event *event)
{
    long known = live_number(), told = (long)event->u.gc_info.used_objects;
    long wrong = known > told ? known - told : told - known;

    finishes++;
    if (starts != finishes)
        bad_order++;
    if (event->u.gc_info.used_objects <= 0 || event->u.gc_info.used_object_space <= 0 ||
        event->u.gc_info.used_object_space > event->u.gc_info.total_object_space)
        __atomic_add_fetch(&bad_gc_info, 1, __ATOMIC_RELAXED);
    if (wrong > worst_count)
        worst_count = wrong;
}

static void collections_at_start(JNIEnv *own)
{
    int before = finishes;

    jvmpi->RunGC();
    verdict(finishes > before, "RunGC in the JVM_INIT_DONE handler delivers a bracket before it returns", finishes);
    expect("and every GC_START has its GC_FINISH", finishes, starts);
}

static void on_load(const char *options)
{
    renumber = strstr(options, "renumber") != NULL;
    immortal = strstr(options, "immortal") != NULL;
    enable_all(enabled);
}

static void summary(void)
{
    expect("OBJECT_ALLOC of a live id", twice, 0);
    expect("OBJECT_FREE of an id that was never told", unknown_free, 0);
    expect("GC_FINISH with numbers that cannot be", bad_gc_info, 0);
    expect("RequestEvent(OBJECT_ALLOC) that failed in an OBJECT_MOVE handler", move_failures, 0);
    /* Objects whose events are on their way. */
    verdict(worst_count < 5000 + live_number() / 10, "used_objects of GC_FINISH is the number of the living", worst_count);
    say("INFO allocs=%ld frees=%ld moves=%ld deletions=%ld unloads=%ld live=%ld worst=%ld", allocs, frees, moves,
        deletions, unloads, live_number(), worst_count);
}

static void on_event(JVMPI_Event *event, int type)
{
    struct live object = { 0 };

    if (event->event_type & JVMPI_REQUESTED_EVENT) {
        requested(event, type);
        return;
    }
    switch (type) {
    case JVMPI_EVENT_OBJECT_ALLOC:
        on_alloc(event);
        break;
    case JVMPI_EVENT_CLASS_LOAD:
        /* It defines the class as an object, too. */
        object.id = event->u.class_load.class_id;
        object.arena = 1;
        if (!live_get(object.id, &object))
            object.id = event->u.class_load.class_id, object.number = CLASS_ONLY, live_put(&object);
        if (strcmp(event->u.class_load.class_name, "Objects$Dying") == 0)
            dying_class = event->u.class_load.class_id;
        if (strcmp(event->u.class_load.class_name, "Unloaded") == 0)
            unloaded_now = unloaded_class = event->u.class_load.class_id;
        break;
    case JVMPI_EVENT_CLASS_UNLOAD:
        __atomic_add_fetch(&unloads, 1, __ATOMIC_RELAXED);
        if (event->u.class_unload.class_id == unloaded_now && unloaded_now != NULL) {
            unloaded++;
            unloaded_class = unloaded_now;
            unloaded_now = NULL;
        }
        break;
    case JVMPI_EVENT_OBJECT_FREE:
        __atomic_add_fetch(&frees, 1, __ATOMIC_RELAXED);
        frees_inside++;
        if (starts != finishes + 1)
            bad_order++;
        if (!live_remove(event->u.obj_free.obj_id, &object))
            __atomic_add_fetch(&unknown_free, 1, __ATOMIC_RELAXED);
        else if (object.number >= DYING)
            __atomic_add_fetch(&dead_count, 1, __ATOMIC_RELAXED);
        break;
    case JVMPI_EVENT_OBJECT_MOVE:
        on_move(event);
        break;
    case JVMPI_EVENT_ARENA_DELETE:
        __atomic_add_fetch(&deletions, 1, __ATOMIC_RELAXED);
        __atomic_add_fetch(&frees, live_remove_arena(event->u.delete_arena.arena_id), __ATOMIC_RELAXED);
        if (dead_count < dying_count)
            count_swept();
        break;
    case JVMPI_EVENT_GC_START:
        starts++;
        break;
    case JVMPI_EVENT_GC_FINISH:
        on_gc_finish(event);
        break;
    case JVMPI_EVENT_JVM_INIT_DONE:
        collections_at_start(event->env_id);
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        /* As an agent of the period does before it dumps. */
        jvmpi->RunGC();
        jvmpi->RunGC();
        summary();
        say("ok the end");
        break;
    }
}

/* ---- checks, called by the program ---- */

static jobject field(JNIEnv *env, const char *name)
{
    jclass class = (*env)->FindClass(env, "Objects");
    jfieldID id = (*env)->GetStaticFieldID(env, class, name, "Ljava/lang/Object;");

    return (*env)->GetStaticObjectField(env, class, id);
}

static jobjectID id_of(jobject object)
{
    jobjectID id;

    jvmpi->DisableGC();
    id = jvmpi->jobject2jobjectID(object);
    jvmpi->EnableGC();
    return id;
}

static const char *const FIELDS[] = { "plain", "array", "matrix", "numbers", "text", "lambda", "thread", "loader",
                                      "ended", NULL };

/* There and back. 6 checks. */
static void both_ways(JNIEnv *env, const char *name, jobject object)
{
    char text[200];
    jobjectID id;
    jobject back, global = (*env)->NewGlobalRef(env, object);
    jweak weak = (*env)->NewWeakGlobalRef(env, object);

    jvmpi->DisableGC();
    id = jvmpi->jobject2jobjectID(object);
    snprintf(text, sizeof text, "the id of %s is a multiple of 16 below 2^31", name);
    verdict(id != NULL && ((size_t)id & 15) == 0 && (size_t)id < 0x80000000u, text, (long)id);
    snprintf(text, sizeof text, "jobject2jobjectID of %s again", name);
    expect(text, (long)jvmpi->jobject2jobjectID(object), (long)id);
    snprintf(text, sizeof text, "jobject2jobjectID of a global reference to %s", name);
    expect(text, (long)jvmpi->jobject2jobjectID(global), (long)id);
    snprintf(text, sizeof text, "jobject2jobjectID of a weak reference to %s", name);
    expect(text, (long)jvmpi->jobject2jobjectID(weak), (long)id);
    back = jvmpi->jobjectID2jobject(id);
    snprintf(text, sizeof text, "jobjectID2jobject of %s", name);
    verdict(back != NULL && (*env)->IsSameObject(env, back, object), text, (long)back);
    snprintf(text, sizeof text, "jobject2jobjectID of jobjectID2jobject of %s", name);
    expect(text, (long)jvmpi->jobject2jobjectID(back), (long)id);
    jvmpi->EnableGC();
    (*env)->DeleteGlobalRef(env, global);
    (*env)->DeleteWeakGlobalRef(env, weak);
}

static void ids(JNIEnv *env)
{
    static const char *const classes[] = { "Objects", "Objects$Plain", "[LObjects$Element;", "java/lang/Object",
                                           "java/lang/Class", NULL };
    struct known_method *method = method_named("Objects", "build");
    int i;

    for (i = 0; FIELDS[i] != NULL; i++)
        both_ways(env, FIELDS[i], field(env, FIELDS[i]));
    for (i = 0; classes[i] != NULL; i++)
        both_ways(env, classes[i], (*env)->FindClass(env, classes[i]));
    jvmpi->DisableGC();
    expect("GetThreadObject is the thread's id", (long)jvmpi->GetThreadObject(env),
           (long)jvmpi->jobject2jobjectID(field(env, "thread")));
    expect("GetMethodClass is the class's id", (long)jvmpi->GetMethodClass(method->id),
           (long)jvmpi->jobject2jobjectID((*env)->FindClass(env, "Objects")));
    if (!renumber)
        expect("and that of CLASS_LOAD", (long)jvmpi->GetMethodClass(method->id), (long)method->class_id);
    jvmpi->EnableGC();
}

/* Asks for an object twice. 7 checks. */
static void described(const char *name, jobject object, jint is_array, jobject class)
{
    char text[200];
    JVMPI_Event first;
    struct live told;
    jobjectID id, class_id = NULL;

    jvmpi->DisableGC();
    id = jvmpi->jobject2jobjectID(object);
    if (class != NULL)
        class_id = jvmpi->jobject2jobjectID(class);
    snprintf(text, sizeof text, "RequestEvent(OBJECT_ALLOC) of %s", name);
    expect(text, ask(JVMPI_EVENT_OBJECT_ALLOC, id), JVMPI_SUCCESS);
    snprintf(text, sizeof text, "RequestEvent(OBJECT_ALLOC) of %s: one event, on this thread", name);
    verdict(answer.events == 1 && answer.good, text, answer.events);
    first = answer.event;
    snprintf(text, sizeof text, "obj_id of %s", name);
    expect(text, (long)first.u.obj_alloc.obj_id, (long)id);
    snprintf(text, sizeof text, "is_array of %s", name);
    expect(text, first.u.obj_alloc.is_array, is_array);
    snprintf(text, sizeof text, "class_id of %s", name);
    expect(text, (long)first.u.obj_alloc.class_id, (long)class_id);
    ask(JVMPI_EVENT_OBJECT_ALLOC, id);
    snprintf(text, sizeof text, "%s asked for again", name);
    verdict(answer.events == 1 && first.event_type == answer.event.event_type && first.env_id == answer.event.env_id &&
                first.u.obj_alloc.arena_id == answer.event.u.obj_alloc.arena_id &&
                first.u.obj_alloc.class_id == answer.event.u.obj_alloc.class_id &&
                first.u.obj_alloc.is_array == answer.event.u.obj_alloc.is_array &&
                first.u.obj_alloc.size == answer.event.u.obj_alloc.size &&
                first.u.obj_alloc.obj_id == answer.event.u.obj_alloc.obj_id,
            text, answer.events);
    snprintf(text, sizeof text, "%s is as its OBJECT_ALLOC said", name);
    if (!live_get(id, &told))
        say("FAIL %s: it had none", text);
    else
        /* A class may have had its CLASS_LOAD only. */
        verdict(told.number == CLASS_ONLY ||
                    (told.size == first.u.obj_alloc.size && told.is_array == first.u.obj_alloc.is_array &&
                     told.arena == first.u.obj_alloc.arena_id && first.u.obj_alloc.size >= 8),
                text, first.u.obj_alloc.size);
    jvmpi->EnableGC();
}

static void kinds(JNIEnv *env)
{
    jclass class_class = (*env)->FindClass(env, "java/lang/Class");
    jclass objects = (*env)->FindClass(env, "Objects");
    int i;

    described("plain", field(env, "plain"), JVMPI_NORMAL_OBJECT, (*env)->FindClass(env, "Objects$Plain"));
    described("array", field(env, "array"), JVMPI_CLASS, (*env)->FindClass(env, "Objects$Element"));
    described("matrix", field(env, "matrix"), JVMPI_CLASS, (*env)->FindClass(env, "[LObjects$Element;"));
    described("numbers", field(env, "numbers"), JVMPI_INT, NULL);
    described("text", field(env, "text"), JVMPI_NORMAL_OBJECT, (*env)->FindClass(env, "java/lang/String"));
    described("lambda", field(env, "lambda"), JVMPI_NORMAL_OBJECT, (*env)->GetObjectClass(env, field(env, "lambda")));
    described("thread", field(env, "thread"), JVMPI_NORMAL_OBJECT, (*env)->GetObjectClass(env, field(env, "thread")));
    described("a class", objects, JVMPI_NORMAL_OBJECT, class_class);
    /* The end of every chain of requests (facts B.2). */
    described("java.lang.Class", class_class, JVMPI_NORMAL_OBJECT, NULL);

    jvmpi->DisableGC();
    expect("RequestEvent(CLASS_LOAD) of a class", ask(JVMPI_EVENT_CLASS_LOAD, jvmpi->jobject2jobjectID(objects)),
           JVMPI_SUCCESS);
    verdict(answer.events == 1 && answer.good && strcmp(answer.class_name, "Objects") == 0, "says its name",
            answer.events);
    expect("RequestEvent(CLASS_LOAD) of an array class",
           ask(JVMPI_EVENT_CLASS_LOAD, jvmpi->jobject2jobjectID((*env)->FindClass(env, "[LObjects$Element;"))),
           JVMPI_SUCCESS);
    expect("RequestEvent(THREAD_START) of a thread",
           ask(JVMPI_EVENT_THREAD_START, jvmpi->jobject2jobjectID(field(env, "thread"))), JVMPI_SUCCESS);
    verdict(answer.events == 1 && answer.good && answer.event.u.thread_start.thread_env_id == env, "says its env",
            answer.events);
    for (i = 0; FIELDS[i] != NULL; i++) {
        refused("CLASS_LOAD", FIELDS[i], JVMPI_EVENT_CLASS_LOAD, jvmpi->jobject2jobjectID(field(env, FIELDS[i])));
        if (strcmp(FIELDS[i], "thread") != 0)
            refused("THREAD_START", FIELDS[i], JVMPI_EVENT_THREAD_START,
                    jvmpi->jobject2jobjectID(field(env, FIELDS[i])));
    }
    refused("THREAD_START", "a class", JVMPI_EVENT_THREAD_START, jvmpi->jobject2jobjectID(objects));
    expect("GetMethodClass of an object's id",
           (long)jvmpi->GetMethodClass((jmethodID)jvmpi->jobject2jobjectID(field(env, "plain"))), 0);
    expect("GetThreadObject of an object's id",
           (long)jvmpi->GetThreadObject((JNIEnv *)jvmpi->jobject2jobjectID(field(env, "thread"))), 0);
    jvmpi->EnableGC();
}

static jobjectID good_id;

static void *unattached(void *argument)
{
    jvmpi->DisableGC();
    expect("jobjectID2jobject on a thread that the VM does not know", (long)jvmpi->jobjectID2jobject(good_id), 0);
    /* What it answers is not said anywhere; that it returns is. */
    jvmpi->jobject2jobjectID(argument);
    jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, good_id);
    jvmpi->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, (void *)17);
    jvmpi->EnableGC();
    say("ok still there after calls of an unknown thread");
    return argument;
}

static void nonsense(JNIEnv *env)
{
    static long nothing[16];
    jobject global = (*env)->NewGlobalRef(env, field(env, "plain"));
    pthread_t thread;
    jint result;

    good_id = id_of(global);
    is_nothing("1", (jobjectID)1);
    is_nothing("8", (jobjectID)8);
    is_nothing("17", (jobjectID)17);
    is_nothing("0x7ffffff0", (jobjectID)0x7ffffff0);
    is_nothing("0xfffffff0", (jobjectID)0xfffffff0u);
    is_nothing("-1", (jobjectID)-1L);
    is_nothing("-16", (jobjectID)-16L);
    is_nothing("the lowest number", (jobjectID)(~(~0ul >> 1)));
    is_nothing("a pointer", (jobjectID)nothing);
    is_nothing("a function", (jobjectID)(size_t)is_nothing);
    is_nothing("a reference", (jobjectID)global);
    is_nothing("an id and 1", (jobjectID)((size_t)good_id + 1));
    is_nothing("an id and 4", (jobjectID)((size_t)good_id + 4));
    is_nothing("an id and 8", (jobjectID)((size_t)good_id + 8));
    is_nothing("an id with bit 31", (jobjectID)((size_t)good_id | 0x80000000u));
#if __SIZEOF_POINTER__ > 4
    is_nothing("an id with bit 32", (jobjectID)((size_t)good_id | 0x100000000u));
    is_nothing("an id with bit 63", (jobjectID)((size_t)good_id | 0x8000000000000000u));
#endif

    refused("CLASS_LOAD", "NULL", JVMPI_EVENT_CLASS_LOAD, NULL);
    refused("THREAD_START", "NULL", JVMPI_EVENT_THREAD_START, NULL);
    /* A host of the period says SUCCESS and sends nothing (facts B.2). */
    result = ask(JVMPI_EVENT_OBJECT_ALLOC, NULL);
    verdict(result == JVMPI_FAIL || result == JVMPI_SUCCESS, "RequestEvent(OBJECT_ALLOC) of NULL", result);
    expect("RequestEvent(OBJECT_ALLOC) of NULL sends nothing", answer.events, 0);
    expect("jobjectID2jobject of NULL", (long)jvmpi->jobjectID2jobject(NULL), 0);
    expect("jobject2jobjectID of NULL", (long)jvmpi->jobject2jobjectID(NULL), 0);
    expect("GetMethodClass of NULL", (long)jvmpi->GetMethodClass(NULL), 0);
    pthread_create(&thread, NULL, unattached, global);
    pthread_join(thread, NULL);
    expect("the good one is still good", ask(JVMPI_EVENT_OBJECT_ALLOC, id_of(global)), JVMPI_SUCCESS);
    (*env)->DeleteGlobalRef(env, global);
}

/* What died, once its events have come. */
static void stale(JNIEnv *env)
{
    int i, before, answered = 0, objects = 0, was_class;

    for (i = 0; i < 20 && !(dead_count == dying_count && (unloaded || immortal)); i++) {
        before = finishes;
        jvmpi->RunGC();
        if (finishes == before)
            say("FAIL RunGC returned without a bracket");
    }
    expect("OBJECT_ALLOC of what is to die", dying_count, 500);
    expect("what died has gone", dead_count, 500);
    expect("CLASS_UNLOAD of the class that died", unloaded, !immortal);
    expect("GC_FINISH for each GC_START", finishes, starts);
    expect("events of a collection outside GC_START and GC_FINISH", bad_order, 0);
    for (i = 0; i < dying_count; i++) {
        jint result;
        jobject object;

        jvmpi->DisableGC();
        result = ask(JVMPI_EVENT_OBJECT_ALLOC, dying[i]);
        object = jvmpi->jobjectID2jobject(dying[i]);
        /* Another object may have it by now. */
        if (!living(dying[i])) {
            answered += result != JVMPI_FAIL || answer.events != 0;
            answered += ask(JVMPI_EVENT_CLASS_LOAD, dying[i]) != JVMPI_FAIL;
            answered += ask(JVMPI_EVENT_THREAD_START, dying[i]) != JVMPI_FAIL;
            objects += object != NULL;
        }
        if (object != NULL)
            (*env)->DeleteLocalRef(env, object);
        jvmpi->EnableGC();
    }
    expect("RequestEvent of stale ids that did not fail", answered, 0);
    expect("jobjectID2jobject of stale ids that gave something", objects, 0);
    jvmpi->DisableGC();
    was_class = unloaded && !living(unloaded_class);
    verdict(!was_class || ask(JVMPI_EVENT_CLASS_LOAD, unloaded_class) == JVMPI_FAIL,
            "RequestEvent(CLASS_LOAD) of a class that is gone", (long)unloaded_class);
    expect("GetMethodClass of a method that is gone", unloaded ? (long)jvmpi->GetMethodClass(unloaded_method) : 0, 0);
    jvmpi->EnableGC();
}

/* Nothing dies and nothing moves while an agent holds collections. */
static void hold(void)
{
    long until, held_frees, held_moves, held_allocs;
    int i;

    for (i = 0; i < 3; i++)
        jvmpi->DisableGC();
    held_frees = __atomic_load_n(&frees, __ATOMIC_RELAXED);
    held_moves = __atomic_load_n(&moves, __ATOMIC_RELAXED);
    held_allocs = __atomic_load_n(&allocs, __ATOMIC_RELAXED);
    sleep_ms(2000);
    until = now_ms() + 20000;
    while (__atomic_load_n(&allocs, __ATOMIC_RELAXED) == held_allocs && now_ms() < until)
        sleep_ms(5);
    verdict(__atomic_load_n(&allocs, __ATOMIC_RELAXED) > held_allocs, "the program goes on meanwhile", allocs);
    jvmpi->EnableGC();
    jvmpi->EnableGC();
    sleep_ms(300);
    expect("OBJECT_FREE while collections are held", __atomic_load_n(&frees, __ATOMIC_RELAXED), held_frees);
    expect("OBJECT_MOVE while collections are held", __atomic_load_n(&moves, __ATOMIC_RELAXED), held_moves);
    jvmpi->EnableGC();
    until = now_ms() + 30000;
    while (__atomic_load_n(&frees, __ATOMIC_RELAXED) == held_frees && now_ms() < until)
        sleep_ms(5);
    verdict(__atomic_load_n(&frees, __ATOMIC_RELAXED) > held_frees, "they come afterwards", frees);
}

static volatile int collector_done;

static void collector(void *nothing)
{
    int i, before;

    for (i = 0; i < 5; i++) {
        before = finishes;
        jvmpi->RunGC();
        if (finishes == before || starts != finishes)
            say("FAIL RunGC on a system thread: %d %d %d", before, starts, finishes);
    }
    collector_done = 1;
}

static void two_collectors(void)
{
    long until = now_ms() + 30000;
    int i;

    expect("CreateSystemThread", jvmpi->CreateSystemThread("collector", JVMPI_NORMAL_PRIORITY, collector), JNI_OK);
    for (i = 0; i < 5; i++)
        jvmpi->RunGC();
    while (!collector_done && now_ms() < until)
        sleep_ms(2);
    expect("RunGC on two threads at once returns", collector_done, 1);
}

static void check(JNIEnv *env, const char *what)
{
    struct known_method *method;

    if ((*env)->PushLocalFrame(env, 256) != 0)
        return;
    if (strcmp(what, "ids") == 0)
        ids(env);
    else if (strcmp(what, "kinds") == 0)
        kinds(env);
    else if (strcmp(what, "nonsense") == 0)
        nonsense(env);
    else if (strcmp(what, "class is loaded") == 0) {
        method = method_named("Unloaded", "method");
        verdict(method != NULL && unloaded_now != NULL, "CLASS_LOAD of the class that is to die", (long)unloaded_now);
        if (method != NULL)
            unloaded_method = method->id;
    } else if (strcmp(what, "stale") == 0)
        stale(env);
    else if (strcmp(what, "hold") == 0)
        hold();
    else if (strcmp(what, "end") == 0)
        two_collectors();
    (*env)->PopLocalFrame(env, NULL);
}

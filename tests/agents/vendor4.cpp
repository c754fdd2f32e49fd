/*
 * OLV - object lifetime and garbage collection visualiser, JVMPI agent.
 *
 *   java -Xrunvendor4:file=out.txt[,window=START_MS:LEN_MS][,rungc=1]... Main
 *
 * The agent keeps a model of the heap: arenas, the objects in them, and their
 * classes. Locks and modes:
 *
 *  - heap_mon guards the model. It is entered by GC_START and left by GC_FINISH.
 *    Nobody who holds it may start a GC, wait for one (DisableGC) or request an
 *    event: the order is DisableGC first, heap_mon second.
 *  - Events of the thread suspended mode (OBJECT_FREE, OBJECT_MOVE, ARENA_DELETE
 *    and whatever else comes on the collecting thread) enter no monitor and touch
 *    no C heap. They go to a log that GC_START has made room in. GC_FINISH ends
 *    the bracket still in that mode, so it only logs as well; whoever next enters
 *    heap_mon brings the model up to date before doing anything else.
 *  - ctl_mon is for sleeping and for stopping the agent's threads; a leaf.
 */

#include <jvmpi.h>

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

/* ---- Counters ------------------------------------------------------------- */

/* Each of these contradicts the specification: they add up to ANOMALIES. */
#define OLV_CHECKS(X) \
    X(birth_of_live_id) X(birth_null_id) X(birth_bad_size) X(birth_bad_kind) \
    X(birth_without_class) X(birth_of_unseen_class) X(birth_in_unknown_arena) X(birth_in_gc_bracket) \
    X(death_of_unknown_id) X(death_of_globally_held) \
    X(move_of_unknown_id) X(move_wrong_arena) X(move_to_unknown_arena) X(move_overwrote_object) \
    X(gc_object_event_outside_bracket) X(gc_object_event_while_disabled) \
    X(event_with_id_from_other_thread_while_suspended) X(unexpected_event_on_gc_thread) \
    X(gc_start_nested) X(gc_finish_without_start) X(gc_finish_other_thread) X(gc_finish_other_env) \
    X(gc_model_more_than_used) X(gc_used_more_than_total) X(gc_negative_figures) \
    X(gc_rungc_without_gc) \
    X(arena_new_live_id) X(arena_delete_unknown_id) \
    X(class_load_of_live_id) X(class_name_changed) X(class_unload_unknown_id) \
    X(class_unload_live_instances) X(class_load_nameless) \
    X(thread_start_live_env) X(thread_end_unknown_env) \
    X(ref_birth_of_live_ref) X(ref_to_unseen_object) X(ref_free_unknown) X(ref_kind_mismatch) \
    X(handle_roundtrip_mismatch) X(handle_not_same_object) X(handle_class_mismatch) \
    X(probe_object_unknown) X(probe_class_unknown) \
    X(request_wrong_id) X(request_success_without_event) X(request_bit_unasked) \
    X(log_lost) X(internal_exception)

/* These are worth knowing, but there may be a good reason for each. */
#define OLV_NOTES(X) \
    X(death_unseen_birth) X(move_unseen_birth) X(move_in_place) X(move_onto_live_id_settled) \
    X(birth_while_disabled) X(birth_of_class_not_yet_seen) X(birth_on_ended_thread) X(birth_env_unknown) X(array_without_element_class) \
    X(event_with_id_from_other_thread_in_bracket) X(event_without_id_from_other_thread_in_bracket) \
    X(gc_object_event_from_other_thread) X(gc_event_env_null) X(gc_model_less_than_used) \
    X(gc_bytes_differ) X(gc_used_not_supplied) X(deferred_event_on_gc_thread) \
    X(log_emergency_chunk) X(arena_implicit) \
    X(class_replaced_after_free) X(class_ids_lost) X(class_unload_id_lost) X(class_unresolved) \
    X(class_body_moved) X(class_body_unseen_birth) X(class_body_freed) X(class_reload_after_request) \
    X(ref_to_null) X(ref_to_unseen_birth) X(ref_to_unresolved) X(ref_outlived_object) \
    X(request_class) X(request_object) X(request_thread) X(request_refused) \
    X(adopted_objects) X(forgotten_at_window_end) \
    X(handle_samples) X(handle_null) X(handle_names_asked) X(handle_name_learnt) \
    X(handle_jni_exception) X(handle_daring_calls)

#define OLV_ENUM(n) C_##n,
#define OLV_NAME(n) #n,
enum Counter { OLV_CHECKS(OLV_ENUM) C_checks_end, OLV_NOTES(OLV_ENUM) C_end };
const char *const counter_name[] = { OLV_CHECKS(OLV_NAME) "", OLV_NOTES(OLV_NAME) };
std::atomic<long> counters[C_end];
std::atomic<long> event_count[JVMPI_MAX_EVENT_TYPE_VAL + 1];
std::atomic<long> requested_count[JVMPI_MAX_EVENT_TYPE_VAL + 1];

void note(Counter c) { counters[c].fetch_add(1, std::memory_order_relaxed); }

/* ---- The model ------------------------------------------------------------ */

const int AGES = 7; /* survived 0, 1, 2, 3, 4-7, 8-15, 16 and more collections */
const char *const age_name[AGES] = { "0", "1", "2", "3", "4-7", "8-15", "16+" };

int age_slot(long a)
{
    if (a < 4) return a < 0 ? 0 : static_cast<int>(a);
    return a < 8 ? 4 : a < 16 ? 5 : 6;
}

struct ClassRec;

/* What is counted together: the instances of a class, or the arrays of it. */
struct Kind {
    ClassRec *rec;
    const char *fixed; /* the name, if there is no class behind it */
    bool array;
    long born, died, adopted, forgotten;
    long long bytes_live, bytes_born;
    long known_deaths, life_sum;  /* deaths of objects whose birth was seen */
    long ended[AGES];             /* ... by collections survived */
    long refs, weak_refs, refs_made, weak_refs_made;
    Kind(ClassRec *r, const char *f, bool a)
        : rec(r), fixed(f), array(a), born(0), died(0), adopted(0), forgotten(0), bytes_live(0),
          bytes_born(0), known_deaths(0), life_sum(0), refs(0), weak_refs(0), refs_made(0), weak_refs_made(0)
    {
        memset(ended, 0, sizeof ended);
    }
    long live() const { return born - died; }
};

struct ClassRec {
    jobjectID id;
    std::string name;
    bool named, by_request, unloaded, body_freed, id_lost;
    int methods, fields;
    Kind inst, arr;
    ClassRec(jobjectID i, const std::string &n)
        : id(i), name(n), named(false), by_request(false), unloaded(false), body_freed(false),
          id_lost(false), methods(0), fields(0), inst(this, 0, false), arr(this, 0, true) {}
};

struct Obj {
    Kind *kind;
    jint size, arena;
    long birth; /* collections begun before it was born; -1: not known */
    bool unresolved, gone, forgotten;
    int strong, weak;
};

struct Arena {
    std::string name;
    bool announced, live;
    int incarnations;
    long objs, births, deaths, in, out, inside, mass_deaths;
    long long bytes;
    Arena() : announced(false), live(false), incarnations(0), objs(0), births(0), deaths(0), in(0),
              out(0), inside(0), mass_deaths(0), bytes(0) {}
};

struct Ref { Obj *obj; Kind *kind; bool weak; };
struct Thr { std::string name, group; bool live, asked, by_request; long births; };

struct GcRow {
    long seq; long long at_us, dur_us;
    long before, model; long long model_bytes;
    long long used, used_bytes, total;
    long freed, moved, arenas_deleted, arenas_new;
    bool followed;
};

typedef std::unordered_map<jobjectID, Obj *> ObjMap;
typedef std::unordered_map<jobjectID, ClassRec *> ClassMap;

struct Model {
    ObjMap objs, displaced;           /* displaced: another object moved onto its id in this GC */
    ClassMap classes, cls_displaced;
    std::vector<ClassRec *> all_classes;
    std::map<std::string, std::vector<ClassRec *> > lost; /* classes whose id is no longer known */
    std::vector<ClassRec *> unload_check;
    std::map<jint, Arena> arenas;
    std::unordered_map<jobject, Ref> refs;
    std::unordered_map<JNIEnv *, Thr> threads;
    std::vector<jobjectID> pending;   /* ids to ask OBJECT_ALLOC for */
    std::vector<GcRow> rows;
    std::vector<std::string> disagreements;
    GcRow cur;
    long long bytes;
    long gc_seq, class_loads, class_unloads, thread_starts, thread_ends;
    bool arenas_announced;
    Kind unknown, unknown_arr, unresolved, prim[8];
    Model() : cur(), bytes(0), gc_seq(0), class_loads(0), class_unloads(0), thread_starts(0), thread_ends(0),
              arenas_announced(false), unknown(0, "?", false), unknown_arr(0, "?[]", true),
              unresolved(0, "?unresolved", false),
              prim{ { 0, "boolean[]", true }, { 0, "char[]", true }, { 0, "float[]", true },
                    { 0, "double[]", true }, { 0, "byte[]", true }, { 0, "short[]", true },
                    { 0, "int[]", true }, { 0, "long[]", true } } {}
};

/* ---- Globals -------------------------------------------------------------- */

JavaVM *vm;
JVMPI_Interface *J;
Model *M; /* never destroyed: events may come until the process is gone */
JVMPI_RawMonitor heap_mon, ctl_mon;
bool have_handles;

struct Options {
    std::string file, text;
    bool window, rungc, strict, daring, jni;
    long win_start, win_len, samples, interval, resolve;
} *opt;

std::vector<std::pair<int, jint> > *enable_failures;

std::atomic<bool> obj_on(false);     /* OBJECT_ALLOC, _FREE, _MOVE are enabled and believed */
std::atomic<bool> initialised(false), dead(false), stopping(false);
std::atomic<bool> in_gc(false), suspended(false);
std::atomic<unsigned long> gc_thread(0);
std::atomic<JNIEnv *> gc_env(static_cast<JNIEnv *>(0));
std::atomic<long> gc_finished(0);
int system_threads, dump_no; /* under ctl_mon */
unsigned long long t0;

/* A RequestEvent of this thread that is under way. */
struct Wanted { jint type; jobjectID id; bool seen; Kind *kind; Wanted *outer; };
__thread Wanted *wanted;

unsigned long long now_us()
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * 1000000ULL + ts.tv_nsec / 1000;
}

unsigned long self() { return static_cast<unsigned long>(pthread_self()); }

/* An object whose birth we have not seen is an anomaly only if we ought to have. */
void unseen(Counter check, Counter harmless) { note(opt->window ? harmless : check); }

/* ---- The log of the thread suspended mode --------------------------------- */

enum Op { OP_FREE, OP_MOVE, OP_ARENA_DELETE, OP_ARENA_NEW, OP_ALLOC, OP_CLASS_UNLOAD,
          OP_REF_ALLOC, OP_REF_FREE, OP_GC_END };

struct Entry {
    int op;
    jint a, b, c;
    void *p, *q;
    union { char name[32]; jlong n[4]; } u;
};

const size_t CHUNK = 16384, CHUNKS = 4096;
Entry *chunk[CHUNKS];
size_t chunks, log_rd, log_wr;
std::atomic_flag log_guard = ATOMIC_FLAG_INIT;

/*
 * Held for a few instructions only, and never by a thread that the collector
 * may stop in between: the reader holds heap_mon, which GC_START waits for.
 */
struct LogGuard {
    LogGuard() { while (log_guard.test_and_set(std::memory_order_acquire)) sched_yield(); }
    ~LogGuard() { log_guard.clear(std::memory_order_release); }
};

bool add_chunk() /* mmap and not malloc, so that it can be done in need */
{
    if (chunks == CHUNKS) return false;
    void *p = mmap(0, CHUNK * sizeof(Entry), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return false;
    chunk[chunks++] = static_cast<Entry *>(p);
    return true;
}

void log_reserve(size_t n)
{
    LogGuard g;
    while (chunks * CHUNK < log_wr + n && add_chunk()) {}
}

void log_put(const Entry &e)
{
    LogGuard g;
    if (log_wr == chunks * CHUNK) {
        note(C_log_emergency_chunk);
        if (!add_chunk()) { note(C_log_lost); return; }
    }
    chunk[log_wr / CHUNK][log_wr % CHUNK] = e;
    ++log_wr;
}

Entry entry(Op op, void *p = 0, void *q = 0, jint a = 0, jint b = 0, jint c = 0)
{
    Entry e;
    memset(&e, 0, sizeof e);
    e.op = op; e.a = a; e.b = b; e.c = c; e.p = p; e.q = q;
    return e;
}

/* ---- Names ---------------------------------------------------------------- */

/* "[[I" -> "int[][]", "java/lang/String" -> "java.lang.String". */
std::string readable(const char *s)
{
    if (!s || !*s) return "?";
    std::string r, dims;
    while (*s == '[') { dims += "[]"; ++s; }
    if (!dims.empty()) {
        switch (*s) {
        case 'Z': r = "boolean"; break;
        case 'C': r = "char"; break;
        case 'F': r = "float"; break;
        case 'D': r = "double"; break;
        case 'B': r = "byte"; break;
        case 'S': r = "short"; break;
        case 'I': r = "int"; break;
        case 'J': r = "long"; break;
        case 'L': r = s + 1; if (!r.empty() && r[r.size() - 1] == ';') r.erase(r.size() - 1); break;
        default: r = s;
        }
    } else {
        r = s;
    }
    std::replace(r.begin(), r.end(), '/', '.');
    std::replace(r.begin(), r.end(), ' ', '_');
    return r + dims;
}

std::string kind_name(const Kind *k)
{
    if (k->fixed) return k->fixed;
    return k->array ? k->rec->name + "[]" : k->rec->name;
}

std::string format(const char *f, ...) __attribute__((format(printf, 1, 2)));
std::string format(const char *f, ...)
{
    char buf[1024];
    va_list ap;
    va_start(ap, f);
    vsnprintf(buf, sizeof buf, f, ap);
    va_end(ap);
    return buf;
}

/* ---- Changes of the model; heap_mon is held ------------------------------- */

Arena &arena_of(jint id, Counter unknown)
{
    Arena &a = M->arenas[id];
    if (!a.live) {
        if (M->arenas_announced) note(unknown); else note(C_arena_implicit);
        a.live = true;
        ++a.incarnations;
        if (a.name.empty()) a.name = "(implicit)";
    }
    return a;
}

void place(Obj *o, jint arena, Arena &a)
{
    o->arena = arena;
    ++a.objs;
    a.bytes += o->size;
    M->bytes += o->size;
}

void unplace(Obj *o)
{
    Arena &a = M->arenas[o->arena];
    --a.objs;
    a.bytes -= o->size;
    M->bytes -= o->size;
}

void drop_if_unused(Obj *o) { if (o->gone && !o->strong && !o->weak) delete o; }

void kill(Obj *o) /* the caller takes it out of the map */
{
    Kind *k = o->kind;
    ++k->died;
    k->bytes_live -= o->size;
    if (o->birth >= 0) {
        long survived = std::max(0L, M->gc_seq - o->birth - 1);
        ++k->known_deaths;
        k->life_sum += survived;
        ++k->ended[age_slot(survived)];
    }
    unplace(o);
    ++M->arenas[o->arena].deaths;
    /* A strong one may just be on its way out; see the report for those that stay. */
    if (o->strong || o->weak) note(C_ref_outlived_object);
    o->gone = true;
    drop_if_unused(o);
}

void class_body_freed(jobjectID id)
{
    ClassMap::iterator c = M->classes.find(id);
    if (c != M->classes.end() && !c->second->body_freed) {
        c->second->body_freed = true; /* the class id itself lives on until CLASS_UNLOAD */
        note(C_class_body_freed);
    }
}

void do_free(jobjectID id)
{
    ObjMap *from = &M->displaced;
    ObjMap::iterator i = from->find(id);
    if (i != from->end()) {
        note(C_move_onto_live_id_settled);
        ClassMap::iterator c = M->cls_displaced.find(id);
        if (c != M->cls_displaced.end()) c->second->body_freed = true;
    } else {
        from = &M->objs;
        i = from->find(id);
        if (i == from->end()) {
            if (M->classes.count(id)) class_body_freed(id);
            else unseen(C_death_of_unknown_id, C_death_unseen_birth);
            return;
        }
        class_body_freed(id);
    }
    Obj *o = i->second;
    from->erase(i);
    kill(o);
}

bool move_class(jobjectID from, jobjectID to)
{
    ClassMap *in = &M->cls_displaced;
    ClassMap::iterator i = in->find(from);
    if (i == in->end()) {
        in = &M->classes;
        i = in->find(from);
        if (i == in->end() || i->second->body_freed) return false;
    }
    ClassRec *r = i->second;
    in->erase(i);
    note(C_class_body_moved);
    i = M->classes.find(to);
    if (i != M->classes.end() && i->second != r) M->cls_displaced[to] = i->second;
    M->classes[to] = r;
    r->id = to;
    return true;
}

void adopt(jobjectID id, Obj *o, jint arena, Counter unknown_arena)
{
    o->birth = -1;
    ++o->kind->born;
    ++o->kind->adopted;
    o->kind->bytes_live += o->size;
    o->kind->bytes_born += o->size;
    place(o, arena, arena_of(arena, unknown_arena));
    M->objs[id] = o;
    note(C_adopted_objects);
}

Obj *new_obj(Kind *k, jint size)
{
    Obj *o = new Obj();
    o->kind = k;
    o->size = size;
    o->birth = -1;
    return o;
}

void do_move(jint arena, jobjectID from, jint new_arena, jobjectID to)
{
    ++M->cur.moved;
    if (from == to && arena == new_arena) note(C_move_in_place);
    bool is_class = from != to && move_class(from, to);
    ObjMap *in = &M->displaced;
    ObjMap::iterator i = in->find(from);
    if (i != in->end()) {
        note(C_move_onto_live_id_settled);
    } else {
        in = &M->objs;
        i = in->find(from);
    }
    if (i == in->end()) {
        /* A class whose OBJECT_ALLOC was never sent is known as a class at least. */
        if (is_class || M->classes.count(to)) note(C_class_body_unseen_birth);
        else unseen(C_move_of_unknown_id, C_move_unseen_birth);
        ObjMap::iterator there = M->objs.find(to);
        if (there != M->objs.end()) M->displaced[to] = there->second;
        Obj *o = new_obj(&M->unresolved, 0);
        o->unresolved = true;
        adopt(to, o, new_arena, C_move_to_unknown_arena);
        M->pending.push_back(to);
        return;
    }
    Obj *o = i->second;
    in->erase(i);
    if (o->arena != arena) note(C_move_wrong_arena);
    unplace(o);
    Arena &dest = arena_of(new_arena, C_move_to_unknown_arena);
    if (o->arena == new_arena) {
        ++dest.inside;
    } else {
        ++M->arenas[o->arena].out;
        ++dest.in;
    }
    place(o, new_arena, dest);
    if (o->unresolved) M->pending.push_back(to);
    ObjMap::iterator there = M->objs.find(to);
    if (there != M->objs.end()) M->displaced[to] = there->second;
    M->objs[to] = o;
}

void do_arena_delete(jint id)
{
    ++M->cur.arenas_deleted;
    std::map<jint, Arena>::iterator a = M->arenas.find(id);
    if (a == M->arenas.end() || !a->second.live) {
        note(C_arena_delete_unknown_id);
        return;
    }
    ObjMap *maps[2] = { &M->displaced, &M->objs };
    for (int m = 0; m < 2 && a->second.objs; ++m) {
        for (ObjMap::iterator i = maps[m]->begin(); i != maps[m]->end();) {
            if (i->second->arena == id) {
                if (m == 0) note(C_move_onto_live_id_settled); else class_body_freed(i->first);
                ++a->second.mass_deaths;
                kill(i->second);
                i = maps[m]->erase(i);
            } else {
                ++i;
            }
        }
    }
    a->second.live = false;
}

void do_arena_new(jint id, const char *name)
{
    Arena &a = M->arenas[id];
    ++M->cur.arenas_new;
    M->arenas_announced = true;
    if (a.live && a.announced) note(C_arena_new_live_id);
    a.live = a.announced = true;
    a.name = readable(name);
    ++a.incarnations;
}

ClassRec *new_class(jobjectID id, const std::string &name)
{
    ClassRec *r = new ClassRec(id, name);
    M->all_classes.push_back(r);
    M->classes[id] = r;
    return r;
}

/* The class must have been looked for before; an unknown one gets a place holder. */
Kind *kind_of(jobjectID cls, jint is_array)
{
    if (is_array >= JVMPI_BOOLEAN && is_array <= JVMPI_LONG) return &M->prim[is_array - JVMPI_BOOLEAN];
    if (is_array != JVMPI_NORMAL_OBJECT && is_array != JVMPI_CLASS) {
        note(C_birth_bad_kind);
        return &M->unknown;
    }
    if (!cls) {
        note(is_array == JVMPI_CLASS ? C_array_without_element_class : C_birth_without_class);
        return is_array == JVMPI_CLASS ? &M->unknown_arr : &M->unknown;
    }
    ClassMap::iterator i = M->classes.find(cls);
    ClassRec *r;
    if (i != M->classes.end()) {
        r = i->second;
    } else {
        r = new_class(cls, format("?%p", static_cast<void *>(cls)));
        note(C_class_unresolved);
    }
    return is_array == JVMPI_CLASS ? &r->arr : &r->inst;
}

void do_alloc(JNIEnv *env, jobjectID id, jobjectID cls, jint is_array, jint size, jint arena)
{
    if (!id) { note(C_birth_null_id); return; }
    if (size <= 0) note(C_birth_bad_size);
    Kind *k = kind_of(cls, is_array);
    ObjMap::iterator i = M->objs.find(id);
    if (i != M->objs.end()) {
        Obj *old = i->second;
        M->objs.erase(i);
        note(C_birth_of_live_id); /* the old one must have died without a word */
        kill(old);
    }
    if (!k->rec || k->rec->name != "java.lang.Class")
        class_body_freed(id); /* its id is taken by another object, so it cannot be there any more */
    Arena &a = arena_of(arena, C_birth_in_unknown_arena);
    Obj *o = new_obj(k, size);
    o->birth = M->gc_seq;
    ++k->born;
    k->bytes_live += size;
    k->bytes_born += size;
    ++a.births;
    place(o, arena, a);
    M->objs[id] = o;
    std::unordered_map<JNIEnv *, Thr>::iterator t = M->threads.find(env);
    if (t == M->threads.end()) {
        note(C_birth_env_unknown);
    } else {
        ++t->second.births;
        if (!t->second.live && !t->second.asked) note(C_birth_on_ended_thread);
    }
}

/* The answer to a request: either an object we had not seen, or a name for one. */
Kind *do_define(jobjectID id, jobjectID cls, jint is_array, jint size, jint arena)
{
    Kind *k = kind_of(cls, is_array);
    if (!id || !obj_on) return k;
    ObjMap::iterator i = M->objs.find(id);
    if (i == M->objs.end()) {
        adopt(id, new_obj(k, size), arena, C_birth_in_unknown_arena);
    } else if (i->second->unresolved) {
        Obj *o = i->second;
        unplace(o);
        --o->kind->born;
        --o->kind->adopted;
        o->unresolved = false;
        o->kind = k;
        o->size = size;
        ++k->born;
        ++k->adopted;
        k->bytes_live += size;
        k->bytes_born += size;
        place(o, o->arena, M->arenas[o->arena]);
    }
    return k;
}

void do_class_unload(jobjectID id)
{
    ++M->class_unloads;
    ClassMap::iterator i = M->classes.find(id);
    if (i == M->classes.end()) {
        note(opt->window ? C_class_unload_id_lost : C_class_unload_unknown_id);
        return;
    }
    ClassRec *r = i->second;
    M->classes.erase(i);
    r->unloaded = true;
    r->id = 0;
    M->unload_check.push_back(r);
}

void do_ref_alloc(jobject ref, jobjectID id, Kind *k, bool weak)
{
    std::unordered_map<jobject, Ref>::iterator i = M->refs.find(ref);
    if (i != M->refs.end()) {
        note(C_ref_birth_of_live_ref);
        --(i->second.weak ? i->second.kind->weak_refs : i->second.kind->refs);
        if (i->second.obj) {
            --(i->second.weak ? i->second.obj->weak : i->second.obj->strong);
            drop_if_unused(i->second.obj);
        }
    }
    Ref r = { 0, k ? k : &M->unresolved, weak };
    ObjMap::iterator o = M->objs.find(id);
    if (!id) note(C_ref_to_null);
    else if (o != M->objs.end()) {
        r.obj = o->second;
        r.kind = r.obj->kind;
        ++(weak ? r.obj->weak : r.obj->strong);
    } else if (!k) note(C_ref_to_unresolved);
    ++(weak ? r.kind->weak_refs : r.kind->refs);
    ++(weak ? r.kind->weak_refs_made : r.kind->refs_made);
    M->refs[ref] = r;
}

void do_ref_free(jobject ref, bool weak)
{
    std::unordered_map<jobject, Ref>::iterator i = M->refs.find(ref);
    if (i == M->refs.end()) { note(C_ref_free_unknown); return; }
    Ref r = i->second;
    M->refs.erase(i);
    if (r.weak != weak) note(C_ref_kind_mismatch);
    --(r.weak ? r.kind->weak_refs : r.kind->refs);
    if (r.obj) {
        --(r.weak ? r.obj->weak : r.obj->strong);
        drop_if_unused(r.obj);
    }
}

/* Ids moved while nobody told us: none that we have is valid any more. */
void lose_class_ids()
{
    for (ClassMap::iterator i = M->classes.begin(); i != M->classes.end(); ++i) {
        i->second->id_lost = true;
        i->second->id = 0;
        if (i->second->named) M->lost[i->second->name].push_back(i->second);
        note(C_class_ids_lost);
    }
    M->classes.clear();
}

void forget_objects()
{
    for (ObjMap::iterator i = M->objs.begin(); i != M->objs.end(); ++i) {
        Obj *o = i->second;
        ++o->kind->forgotten;
        unplace(o);
        o->gone = o->forgotten = true;
        drop_if_unused(o);
        note(C_forgotten_at_window_end);
    }
    M->objs.clear();
    M->pending.clear();
}

void do_gc_end(const Entry &e)
{
    GcRow &g = M->cur;
    for (ObjMap::iterator i = M->displaced.begin(); i != M->displaced.end(); ++i) {
        note(C_move_overwrote_object); /* neither freed nor moved, but its id is another's */
        kill(i->second);
    }
    M->displaced.clear();
    for (ClassMap::iterator i = M->cls_displaced.begin(); i != M->cls_displaced.end(); ++i) {
        i->second->id_lost = true;
        if (i->second->named) M->lost[i->second->name].push_back(i->second);
    }
    M->cls_displaced.clear();
    for (size_t i = 0; i < M->unload_check.size(); ++i)
        if (g.followed && M->unload_check[i]->inst.live() > M->unload_check[i]->inst.forgotten)
            note(C_class_unload_live_instances);
    M->unload_check.clear();

    g.used = e.u.n[0];
    g.used_bytes = e.u.n[1];
    g.total = e.u.n[2];
    g.dur_us = e.u.n[3] - g.at_us;
    g.model = static_cast<long>(M->objs.size());
    g.model_bytes = M->bytes;
    if (g.used < 0 || g.used_bytes < 0 || g.total < 0) note(C_gc_negative_figures);
    if (g.used_bytes > g.total) note(C_gc_used_more_than_total);
    if (g.followed) {
        if (g.used <= 0) note(C_gc_used_not_supplied);
        else if (g.model > g.used) note(C_gc_model_more_than_used);
        else if (g.model < g.used && !opt->window) note(C_gc_model_less_than_used);
        if (!opt->window && g.used_bytes != g.model_bytes) note(C_gc_bytes_differ);
    } else {
        lose_class_ids();
    }
    M->rows.push_back(g);
}

void apply(const Entry &e)
{
    switch (e.op) {
    case OP_FREE: ++M->cur.freed; do_free(static_cast<jobjectID>(e.p)); break;
    case OP_MOVE: do_move(e.a, static_cast<jobjectID>(e.p), e.b, static_cast<jobjectID>(e.q)); break;
    case OP_ARENA_DELETE: do_arena_delete(e.a); break;
    case OP_ARENA_NEW: do_arena_new(e.a, e.u.name); break;
    case OP_ALLOC:
        if (obj_on) do_alloc(0, static_cast<jobjectID>(e.p), static_cast<jobjectID>(e.q), e.a, e.b, e.c);
        break;
    case OP_CLASS_UNLOAD: do_class_unload(static_cast<jobjectID>(e.p)); break;
    case OP_REF_ALLOC: do_ref_alloc(static_cast<jobject>(e.p), static_cast<jobjectID>(e.q), 0, e.a != 0); break;
    case OP_REF_FREE: do_ref_free(static_cast<jobject>(e.p), e.a != 0); break;
    case OP_GC_END: do_gc_end(e); break;
    }
}

void drain()
{
    for (;;) {
        size_t n;
        {
            LogGuard g;
            if (log_rd == log_wr) { log_rd = log_wr = 0; return; }
            n = log_wr;
        }
        while (log_rd < n) {
            Entry e = chunk[log_rd / CHUNK][log_rd % CHUNK];
            ++log_rd;
            apply(e);
        }
    }
}

struct HeapLock {
    HeapLock()
    {
        J->RawMonitorEnter(heap_mon);
        try { drain(); } catch (...) { note(C_internal_exception); }
    }
    ~HeapLock() { J->RawMonitorExit(heap_mon); }
};

/* ---- Requests; GC is disabled, heap_mon is not held ----------------------- */

bool request(jint type, jobjectID id, Counter c, Kind **kind)
{
    Wanted w = { type, id, false, 0, wanted };
    wanted = &w;
    note(c);
    jint rc = J->RequestEvent(type, id);
    wanted = w.outer;
    if (rc != JVMPI_SUCCESS) note(C_request_refused);
    else if (!w.seen) note(C_request_success_without_event);
    if (kind) *kind = w.kind;
    return w.seen;
}

void answered(jint type, jobjectID id, Kind *kind)
{
    if (!wanted || wanted->type != type) { note(C_request_bit_unasked); return; }
    if (wanted->id != id) note(C_request_wrong_id);
    wanted->seen = true;
    wanted->kind = kind;
}

/* True if it was not known. */
bool ensure_class(jobjectID cls)
{
    if (!cls) return false;
    {
        HeapLock l;
        if (M->classes.count(cls)) return false;
    }
    request(JVMPI_EVENT_CLASS_LOAD, cls, C_request_class, 0);
    return true;
}

/* For the current thread in an event with GC disabled: its env is valid for certain. */
void ensure_thread(JNIEnv *env)
{
    if (!env || !initialised) return;
    {
        HeapLock l;
        if (M->threads.count(env)) return;
        Thr &t = M->threads[env];
        t.name = "?";
        t.live = false;
        t.asked = true;
        t.by_request = false;
        t.births = 0;
    }
    jobjectID tid = J->GetThreadObject(env);
    if (tid) request(JVMPI_EVENT_THREAD_START, tid, C_request_thread, 0);
}

/* ---- Events --------------------------------------------------------------- */

void on_gc_start(JNIEnv *env)
{
    if (in_gc && gc_thread == self()) { note(C_gc_start_nested); return; }
    J->RawMonitorEnter(heap_mon); /* until GC_FINISH */
    try { drain(); } catch (...) { note(C_internal_exception); }
    ++M->gc_seq;
    GcRow g = GcRow();
    g.seq = M->gc_seq;
    g.at_us = static_cast<long long>(now_us() - t0);
    g.before = static_cast<long>(M->objs.size());
    g.followed = obj_on;
    M->cur = g;
    size_t heap = M->objs.size();
    if (!M->rows.empty() && M->rows.back().used > 0) heap = std::max(heap, static_cast<size_t>(M->rows.back().used));
    log_reserve(obj_on ? 2 * heap + CHUNK : CHUNK);
    gc_env = env;
    gc_thread = self();
    suspended = false;
    in_gc = true;
}

void on_gc_finish(const JVMPI_Event *ev)
{
    if (!in_gc) { note(C_gc_finish_without_start); return; }
    if (gc_thread != self()) note(C_gc_finish_other_thread);
    else if (gc_env != ev->env_id) note(C_gc_finish_other_env);
    Entry e = entry(OP_GC_END);
    e.u.n[0] = ev->u.gc_info.used_objects;
    e.u.n[1] = ev->u.gc_info.used_object_space;
    e.u.n[2] = ev->u.gc_info.total_object_space;
    e.u.n[3] = static_cast<jlong>(now_us() - t0);
    log_put(e);
    suspended = false;
    in_gc = false;
    gc_thread = 0;
    ++gc_finished;
    J->RawMonitorExit(heap_mon);
}

/* Thread suspended mode: nothing here may block. */
void on_suspended_mode(const JVMPI_Event *ev, jint type)
{
    if (!in_gc) {
        note(C_gc_object_event_outside_bracket);
    } else {
        suspended = true;
        if (gc_thread != self()) note(C_gc_object_event_from_other_thread);
    }
    if (type == JVMPI_EVENT_ARENA_DELETE) {
        log_put(entry(OP_ARENA_DELETE, 0, 0, ev->u.delete_arena.arena_id));
    } else if (!obj_on) {
        note(C_gc_object_event_while_disabled);
    } else if (type == JVMPI_EVENT_OBJECT_FREE) {
        log_put(entry(OP_FREE, ev->u.obj_free.obj_id));
    } else {
        log_put(entry(OP_MOVE, ev->u.obj_move.obj_id, ev->u.obj_move.new_obj_id,
                      ev->u.obj_move.arena_id, ev->u.obj_move.new_arena_id));
    }
}

void on_arena_new(const JVMPI_Event *ev)
{
    Entry e = entry(OP_ARENA_NEW, 0, 0, ev->u.new_arena.arena_id);
    if (ev->u.new_arena.arena_name) strncpy(e.u.name, ev->u.new_arena.arena_name, sizeof e.u.name - 1);
    log_put(e);
    if (!(in_gc && gc_thread == self())) HeapLock(); /* applies it */
}

/* Anything else that comes on the collecting thread in the bracket is kept for later. */
void on_gc_thread(const JVMPI_Event *ev, jint type)
{
    note(C_deferred_event_on_gc_thread);
    switch (type) {
    case JVMPI_EVENT_OBJECT_ALLOC:
        note(C_birth_in_gc_bracket);
        log_put(entry(OP_ALLOC, ev->u.obj_alloc.obj_id, ev->u.obj_alloc.class_id, ev->u.obj_alloc.is_array,
                      ev->u.obj_alloc.size, ev->u.obj_alloc.arena_id));
        break;
    case JVMPI_EVENT_CLASS_UNLOAD:
        log_put(entry(OP_CLASS_UNLOAD, ev->u.class_unload.class_id));
        break;
    case JVMPI_EVENT_JNI_GLOBALREF_ALLOC:
    case JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC:
        log_put(entry(OP_REF_ALLOC, ev->u.jni_globalref_alloc.ref_id, ev->u.jni_globalref_alloc.obj_id,
                      type == JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC));
        break;
    case JVMPI_EVENT_JNI_GLOBALREF_FREE:
    case JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE:
        log_put(entry(OP_REF_FREE, ev->u.jni_globalref_free.ref_id, 0,
                      type == JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE));
        break;
    default:
        note(C_unexpected_event_on_gc_thread);
    }
}

void on_alloc(const JVMPI_Event *ev, bool requested)
{
    jobjectID cls = ev->u.obj_alloc.class_id;
    jint arr = ev->u.obj_alloc.is_array;
    if (!requested && !obj_on) { note(C_birth_while_disabled); return; } /* was under way */
    if ((arr == JVMPI_NORMAL_OBJECT || arr == JVMPI_CLASS) && ensure_class(cls)) {
        /* Array classes may never be announced, and the first classes be late. */
        bool bad = arr == JVMPI_NORMAL_OBJECT && !requested && initialised && !opt->window;
        note(bad ? C_birth_of_unseen_class : C_birth_of_class_not_yet_seen);
    }
    if (requested) {
        Kind *k;
        {
            HeapLock l;
            k = do_define(ev->u.obj_alloc.obj_id, cls, arr, ev->u.obj_alloc.size, ev->u.obj_alloc.arena_id);
        }
        answered(JVMPI_EVENT_OBJECT_ALLOC, ev->u.obj_alloc.obj_id, k);
        return;
    }
    ensure_thread(ev->env_id);
    HeapLock l;
    if (!obj_on) { note(C_birth_while_disabled); return; }
    do_alloc(ev->env_id, ev->u.obj_alloc.obj_id, cls, arr, ev->u.obj_alloc.size, ev->u.obj_alloc.arena_id);
}

void on_class_load(const JVMPI_Event *ev, bool requested)
{
    jobjectID id = ev->u.class_load.class_id;
    std::string name = readable(ev->u.class_load.class_name);
    {
        HeapLock l;
        if (!ev->u.class_load.class_name || !*ev->u.class_load.class_name) note(C_class_load_nameless);
        ClassRec *r = 0;
        ClassMap::iterator i = M->classes.find(id);
        if (i != M->classes.end()) {
            r = i->second;
            if (!r->named) {
                r->name = name;
            } else if (r->body_freed && !requested) {
                note(C_class_replaced_after_free);
                r->id_lost = true;
                r = 0;
            } else if (!requested && !r->by_request) {
                note(C_class_load_of_live_id);
                r = r->name == name ? r : 0;
            } else {
                if (!requested) note(C_class_reload_after_request);
                if (r->name != name) { note(C_class_name_changed); r->name = name; }
            }
        } else if (requested) {
            std::map<std::string, std::vector<ClassRec *> >::iterator f = M->lost.find(name);
            if (f != M->lost.end() && !f->second.empty()) { /* one we lost sight of */
                r = f->second.back();
                f->second.pop_back();
                r->id = id;
                r->id_lost = false;
                M->classes[id] = r;
            }
        }
        bool fresh = !r || !r->named;
        if (!r) r = new_class(id, name);
        r->named = true;
        r->by_request = requested && (fresh || r->by_request);
        r->methods = ev->u.class_load.num_methods;
        r->fields = ev->u.class_load.num_static_fields + ev->u.class_load.num_instance_fields;
        if (!requested) ++M->class_loads;
    }
    if (requested) answered(JVMPI_EVENT_CLASS_LOAD, id, 0);
}

void on_thread_start(const JVMPI_Event *ev, bool requested)
{
    JNIEnv *env = ev->u.thread_start.thread_env_id;
    {
        HeapLock l;
        std::unordered_map<JNIEnv *, Thr>::iterator i = M->threads.find(env);
        long births = 0;
        bool was_live = i != M->threads.end() && i->second.live;
        if (i != M->threads.end()) {
            if (i->second.live && !requested && !i->second.by_request) note(C_thread_start_live_env);
            births = i->second.live || i->second.asked ? i->second.births : 0;
        }
        Thr &t = M->threads[env];
        t.name = ev->u.thread_start.thread_name ? ev->u.thread_start.thread_name : "?";
        t.group = ev->u.thread_start.group_name ? ev->u.thread_start.group_name : "?";
        t.live = true;
        t.asked = false;
        t.by_request = requested && !was_live; /* the ordinary event is yet to come, perhaps */
        t.births = births;
        if (!requested) ++M->thread_starts;
    }
    if (requested) answered(JVMPI_EVENT_THREAD_START, ev->u.thread_start.thread_id, 0);
}

void on_thread_end(const JVMPI_Event *ev)
{
    HeapLock l;
    std::unordered_map<JNIEnv *, Thr>::iterator i = M->threads.find(ev->env_id);
    ++M->thread_ends;
    if (i == M->threads.end() || (!i->second.live && !i->second.asked)) {
        note(C_thread_end_unknown_env);
        return;
    }
    i->second.live = i->second.asked = false;
}

void on_ref_alloc(const JVMPI_Event *ev, bool weak)
{
    jobjectID id = ev->u.jni_globalref_alloc.obj_id;
    Kind *k = 0;
    bool known = !id;
    if (!known) {
        HeapLock l;
        known = M->objs.count(id) != 0;
    }
    if (!known) {
        unseen(C_ref_to_unseen_object, C_ref_to_unseen_birth);
        request(JVMPI_EVENT_OBJECT_ALLOC, id, C_request_object, &k);
    }
    HeapLock l;
    do_ref_alloc(ev->u.jni_globalref_alloc.ref_id, id, k, weak);
}

/* ---- Asking objects for their class by JNI -------------------------------- */

jmethodID get_name; /* Class.getName */

/*
 * GC enabled, no monitor held. The handles came from jobjectID2jobject, but that
 * is over: this is an ordinary thread with an ordinary local reference.
 */
bool jni_class_name(JNIEnv *env, jobject o, std::string *name)
{
    bool ok = false;
    jclass c = env->GetObjectClass(o);
    if (!c) return false;
    jstring s = static_cast<jstring>(env->CallObjectMethod(c, get_name));
    if (env->ExceptionCheck()) {
        env->ExceptionClear();
        note(C_handle_jni_exception);
    } else if (s) {
        const char *u = env->GetStringUTFChars(s, 0);
        if (u) {
            *name = readable(u);
            ok = true;
            env->ReleaseStringUTFChars(s, u);
        }
        env->DeleteLocalRef(s);
    }
    env->DeleteLocalRef(c);
    note(C_handle_names_asked);
    return ok;
}

void compare_name(Kind *k, const std::string &real)
{
    HeapLock l;
    if (k == &M->unknown || k == &M->unresolved) return;
    std::string model = kind_name(k);
    if (k == &M->unknown_arr) {
        if (real.size() < 2 || real.compare(real.size() - 2, 2, "[]")) note(C_handle_class_mismatch);
        return;
    }
    if (k->rec && !k->rec->named && !k->array) {
        k->rec->name = real;
        k->rec->named = true;
        note(C_handle_name_learnt);
        return;
    }
    if (model == real || (k->rec && !k->rec->named)) return;
    note(C_handle_class_mismatch);
    if (M->disagreements.size() < 20) M->disagreements.push_back("model " + model + " jni " + real);
}

void sample(JNIEnv *env, unsigned *seed, int want)
{
    struct Pick { jobjectID id; Kind *kind; jobject handle; } pick[8];
    int n = 0;
    want = std::min(want, 8);
    J->DisableGC();
    {
        HeapLock l;
        size_t buckets = M->objs.bucket_count();
        size_t b = buckets ? (static_cast<size_t>(rand_r(seed)) * 31 + rand_r(seed)) % buckets : 0;
        for (size_t tries = 0; tries < buckets && n < want && obj_on; ++tries, b = (b + 1) % buckets) {
            for (ObjMap::local_iterator i = M->objs.begin(b); i != M->objs.end(b) && n < want; ++i) {
                if (i->second->unresolved) continue;
                pick[n].id = i->first;
                pick[n].kind = i->second->kind;
                pick[n++].handle = 0;
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        note(C_handle_samples);
        pick[i].handle = J->jobjectID2jobject(pick[i].id);
        if (!pick[i].handle) { note(C_handle_null); continue; }
        if (J->jobject2jobjectID(pick[i].handle) != pick[i].id) note(C_handle_roundtrip_mismatch);
        if (opt->daring) {
            /* Not safe by the book. GetObjectClass creates nothing but a local reference. */
            jclass c = env->GetObjectClass(pick[i].handle);
            note(C_handle_daring_calls);
            if (!c) continue;
            jobjectID cid = J->jobject2jobjectID(c);
            env->DeleteLocalRef(c);
            HeapLock l;
            ClassRec *r = pick[i].kind->array ? 0 : pick[i].kind->rec;
            if (r && r->id && r->id != cid) note(C_handle_class_mismatch);
        }
    }
    J->EnableGC();
    for (int i = 0; i < n; ++i) {
        if (!pick[i].handle) continue;
        std::string real;
        if (opt->jni && get_name && jni_class_name(env, pick[i].handle, &real)) compare_name(pick[i].kind, real);
        env->DeleteLocalRef(pick[i].handle);
    }
}

/* In JVM_INIT_DONE, GC enabled: do handles and our model agree about a new object? */
void probe(JNIEnv *env)
{
    jclass cc = env->FindClass("java/lang/Class");
    jclass sc = env->FindClass("java/lang/String");
    if (cc && opt->jni) get_name = env->GetMethodID(cc, "getName", "()Ljava/lang/String;");
    jstring s = env->NewStringUTF("olv");
    if (env->ExceptionCheck()) {
        env->ExceptionClear();
        note(C_handle_jni_exception);
        return;
    }
    if (!cc || !sc || !s) return;
    Kind *k = 0;
    jobject back;
    J->DisableGC();
    jobjectID id = J->jobject2jobjectID(s);
    jobjectID cid = J->jobject2jobjectID(sc);
    back = J->jobjectID2jobject(id);
    if (back && J->jobject2jobjectID(back) != id) note(C_handle_roundtrip_mismatch);
    {
        HeapLock l;
        ObjMap::iterator o = M->objs.find(id);
        if (o != M->objs.end()) k = o->second->kind;
        else if (obj_on) note(C_probe_object_unknown);
        if (!M->classes.count(cid) && !opt->window) note(C_probe_class_unknown);
    }
    if (obj_on && !k) request(JVMPI_EVENT_OBJECT_ALLOC, id, C_request_object, &k);
    ensure_class(cid);
    ensure_thread(env);
    J->EnableGC();
    if (!back) note(C_handle_null);
    else {
        if (!env->IsSameObject(s, back)) note(C_handle_not_same_object);
        std::string real;
        if (k && get_name && jni_class_name(env, back, &real)) compare_name(k, real);
        env->DeleteLocalRef(back);
    }
    env->DeleteLocalRef(s);
    env->DeleteLocalRef(sc);
    env->DeleteLocalRef(cc);
}

/* ---- The agent's threads -------------------------------------------------- */

/* False if the agent is to stop. */
bool snooze(long ms)
{
    unsigned long long end = now_us() + static_cast<unsigned long long>(ms) * 1000;
    J->RawMonitorEnter(ctl_mon);
    while (!stopping) {
        unsigned long long t = now_us();
        if (t >= end) break;
        J->RawMonitorWait(ctl_mon, static_cast<jlong>((end - t) / 1000 + 1));
    }
    bool go = !stopping;
    J->RawMonitorExit(ctl_mon);
    return go;
}

void thread_done()
{
    J->RawMonitorEnter(ctl_mon);
    --system_threads;
    J->RawMonitorNotifyAll(ctl_mon);
    J->RawMonitorExit(ctl_mon);
}

void resolve_pending()
{
    for (long n = 0; n < opt->resolve && !stopping; ++n) {
        bool more = false;
        J->DisableGC();
        jobjectID id = 0;
        {
            HeapLock l;
            while (!M->pending.empty() && !id) {
                jobjectID p = M->pending.back();
                M->pending.pop_back();
                ObjMap::iterator i = M->objs.find(p);
                if (i != M->objs.end() && i->second->unresolved) id = p;
            }
            more = !M->pending.empty();
        }
        if (id) request(JVMPI_EVENT_OBJECT_ALLOC, id, C_request_object, 0);
        J->EnableGC();
        if (!more) break;
    }
}

void sampler(void *)
{
    try {
        JNIEnv *env = 0;
        void *p = 0;
        if (vm->GetEnv(&p, JNI_VERSION_1_2) == JNI_OK) env = static_cast<JNIEnv *>(p);
        unsigned seed = 20020402;
        long left = opt->samples;
        while (snooze(opt->interval)) {
            resolve_pending();
            if (env && have_handles && left > 0 && obj_on) {
                int n = static_cast<int>(std::min(4L, left));
                sample(env, &seed, n);
                left -= n;
            }
        }
    } catch (...) {
        note(C_internal_exception);
    }
    thread_done();
}

void enable(jint type)
{
    jint rc = J->EnableEvent(type, 0);
    if (rc != JVMPI_SUCCESS) enable_failures->push_back(std::make_pair(static_cast<int>(type), rc));
}

/* With GC disabled (or not yet possible), so that no bracket is half followed. */
void follow_objects(bool on)
{
    static const jint types[] = { JVMPI_EVENT_OBJECT_MOVE, JVMPI_EVENT_OBJECT_FREE, JVMPI_EVENT_OBJECT_ALLOC };
    if (on) {
        obj_on = true;
        for (int i = 0; i < 3; ++i) enable(types[i]);
    } else {
        for (int i = 2; i >= 0; --i) J->DisableEvent(types[i], 0);
        HeapLock l;
        obj_on = false;
        forget_objects();
    }
}

void window(void *)
{
    try {
        if (snooze(opt->win_start)) {
            J->DisableGC();
            follow_objects(true);
            J->EnableGC();
            if (snooze(opt->win_len)) {
                J->DisableGC();
                follow_objects(false);
                J->EnableGC();
            }
        }
    } catch (...) {
        note(C_internal_exception);
    }
    thread_done();
}

void start_thread(const char *what, void (*f)(void *))
{
    char name[32];
    strncpy(name, what, sizeof name - 1);
    name[sizeof name - 1] = 0;
    J->RawMonitorEnter(ctl_mon);
    ++system_threads;
    J->RawMonitorExit(ctl_mon);
    if (J->CreateSystemThread(name, JVMPI_NORMAL_PRIORITY, f) != JNI_OK) {
        fprintf(stderr, "olv: cannot create thread %s\n", what);
        thread_done();
    }
}

/* ---- The report ----------------------------------------------------------- */

bool by_bytes(const std::pair<std::string, Kind> &a, const std::pair<std::string, Kind> &b)
{
    return a.second.bytes_live != b.second.bytes_live ? a.second.bytes_live > b.second.bytes_live : a.first < b.first;
}

void report_kinds(std::string &out)
{
    std::vector<Kind *> all;
    for (size_t i = 0; i < M->all_classes.size(); ++i) {
        all.push_back(&M->all_classes[i]->inst);
        all.push_back(&M->all_classes[i]->arr);
    }
    for (int i = 0; i < 8; ++i) all.push_back(&M->prim[i]);
    all.push_back(&M->unknown);
    all.push_back(&M->unknown_arr);
    all.push_back(&M->unresolved);

    /* How old are those that live? */
    std::map<std::string, std::vector<long> > ages;
    for (ObjMap::iterator i = M->objs.begin(); i != M->objs.end(); ++i) {
        if (i->second->birth < 0) continue;
        std::vector<long> &v = ages[kind_name(i->second->kind)];
        v.resize(AGES);
        ++v[age_slot(M->gc_seq - i->second->birth)];
    }
    /* Classes of one name (loaded by several loaders, or again) are one line. */
    std::map<std::string, Kind> sum;
    Kind total(0, "", false);
    for (size_t i = 0; i < all.size(); ++i) {
        Kind *k = all[i];
        if (!k->born && !k->refs_made && !k->weak_refs_made) continue;
        Kind *to[2] = { &sum.insert(std::make_pair(kind_name(k), Kind(0, "", false))).first->second, &total };
        for (int t = 0; t < 2; ++t) {
            Kind *s = to[t];
            s->born += k->born; s->died += k->died; s->adopted += k->adopted; s->forgotten += k->forgotten;
            s->bytes_live += k->bytes_live; s->bytes_born += k->bytes_born;
            s->known_deaths += k->known_deaths; s->life_sum += k->life_sum;
            s->refs += k->refs; s->weak_refs += k->weak_refs;
            s->refs_made += k->refs_made; s->weak_refs_made += k->weak_refs_made;
            for (int a = 0; a < AGES; ++a) s->ended[a] += k->ended[a];
        }
    }
    std::vector<std::pair<std::string, Kind> > v(sum.begin(), sum.end());
    std::sort(v.begin(), v.end(), by_bytes);
    out += "\nCLASSES (bytes: of the live objects)\n";
    for (size_t i = 0; i < v.size(); ++i) {
        const Kind &k = v[i].second;
        out += "class " + v[i].first + format(" born %ld died %ld live %ld bytes %lld\n", k.born, k.died, k.live(), k.bytes_live);
    }
    out += format("total born %ld died %ld live %ld bytes %lld\n", total.born, total.died, total.live(), total.bytes_live);
    out += "\nLIFETIMES (in collections survived; dead/live of known birth)\n";
    for (size_t i = 0; i < v.size(); ++i) {
        const Kind &k = v[i].second;
        std::vector<long> &live = ages[v[i].first];
        live.resize(AGES);
        out += "life " + v[i].first + format(" bytes_born %lld adopted %ld forgotten %ld mean %.2f", k.bytes_born, k.adopted,
                      k.forgotten, k.known_deaths ? static_cast<double>(k.life_sum) / k.known_deaths : 0.0);
        for (int a = 0; a < AGES; ++a)
            if (k.ended[a] || live[a]) out += format(" gen%s %ld/%ld", age_name[a], k.ended[a], live[a]);
        out += "\n";
    }
    out += "\nREFERENCES (by class of the object held)\n";
    for (size_t i = 0; i < v.size(); ++i) {
        const Kind &k = v[i].second;
        if (k.refs_made || k.weak_refs_made)
            out += "ref " + v[i].first + format(" global %ld of %ld weak %ld of %ld\n", k.refs, k.refs_made,
                          k.weak_refs, k.weak_refs_made);
    }
    out += format("refs live %lu global %ld of %ld weak %ld of %ld\n", static_cast<unsigned long>(M->refs.size()),
                  total.refs, total.refs_made, total.weak_refs, total.weak_refs_made);
}

std::string make_report(const char *what)
{
    std::string out;
    HeapLock l;
    out += format("OLV %s report at %llu ms, options \"", what, (now_us() - t0) / 1000) + opt->text + "\"\n";
    out += format("interface version 0x%x handles %s objects %s\n", static_cast<unsigned>(J->version),
                  have_handles ? "yes" : "no", opt->window ? obj_on ? "window open" : "window closed" : "all");
    for (size_t i = 0; i < enable_failures->size(); ++i)
        out += format("not enabled: event %d result %d\n", (*enable_failures)[i].first, static_cast<int>((*enable_failures)[i].second));
    report_kinds(out);

    out += "\nCOLLECTIONS (model -1: objects were not followed)\n";
    for (size_t i = 0; i < M->rows.size(); ++i) {
        const GcRow &g = M->rows[i];
        out += format("gc %ld at_us %lld dur_us %lld before %ld freed %ld moved %ld arenas_deleted %ld arenas_new %ld"
                      " model %ld used %lld diff %lld model_bytes %lld used_bytes %lld total_bytes %lld\n",
                      g.seq, g.at_us, g.dur_us, g.before, g.freed, g.moved, g.arenas_deleted, g.arenas_new,
                      g.followed ? g.model : -1L, g.used, g.followed ? g.used - g.model : 0LL,
                      g.followed ? g.model_bytes : -1LL, g.used_bytes, g.total);
    }
    out += format("gcs %ld\n\nARENAS\n", M->gc_seq);
    for (std::map<jint, Arena>::iterator i = M->arenas.begin(); i != M->arenas.end(); ++i) {
        const Arena &a = i->second;
        out += format("arena %d name ", static_cast<int>(i->first)) + a.name +
               format(" %s announced %d incarnations %d objects %ld bytes %lld births %ld deaths %ld by_delete %ld"
                      " moved_in %ld moved_out %ld moved_within %ld\n", a.live ? "live" : "deleted", a.announced,
                      a.incarnations, a.objs, a.bytes, a.births, a.deaths, a.mass_deaths, a.in, a.out, a.inside);
    }
    out += format("\nLOADS\nclasses loaded %ld unloaded %ld known %lu\nthreads started %ld ended %ld\n", M->class_loads,
                  M->class_unloads, static_cast<unsigned long>(M->classes.size()), M->thread_starts, M->thread_ends);
    for (std::unordered_map<JNIEnv *, Thr>::iterator i = M->threads.begin(); i != M->threads.end(); ++i)
        out += "thread \"" + i->second.name + "\" group \"" + i->second.group + "\" " +
               format("%s births %ld\n", i->second.live ? "live" : i->second.asked ? "unresolved" : "ended", i->second.births);
    out += "\nEVENTS\n";
    for (int i = 1; i <= JVMPI_MAX_EVENT_TYPE_VAL; ++i)
        if (event_count[i] || requested_count[i])
            out += format("event %d count %ld requested %ld\n", i, event_count[i].load(), requested_count[i].load());
    for (size_t i = 0; i < M->disagreements.size(); ++i) out += "disagreement: " + M->disagreements[i] + "\n";
    /* What a strong reference holds must not die. */
    long held = 0;
    for (std::unordered_map<jobject, Ref>::iterator i = M->refs.begin(); i != M->refs.end(); ++i)
        if (!i->second.weak && i->second.obj && i->second.obj->gone && !i->second.obj->forgotten) ++held;
    counters[C_death_of_globally_held] = held;
    out += "\nNOTES\n";
    for (int i = C_checks_end + 1; i < C_end; ++i)
        if (counters[i]) out += format("note %s %ld\n", counter_name[i], counters[i].load());
    out += "\nCHECKS\n";
    long anomalies = 0;
    for (int i = 0; i < C_checks_end; ++i) {
        out += format("check %s %ld\n", counter_name[i], counters[i].load());
        anomalies += counters[i];
    }
    if (opt->strict) anomalies += counters[C_gc_model_less_than_used] + counters[C_gc_bytes_differ];
    out += format("ANOMALIES %ld\n", anomalies);
    return out;
}

void write_report(const std::string &path, const std::string &text)
{
    FILE *f = fopen(path.c_str(), "w");
    bool ok = f && fwrite(text.data(), 1, text.size(), f) == text.size();
    if (f && fclose(f)) ok = false;
    if (!ok) fprintf(stderr, "olv: cannot write %s\n", path.c_str());
}

void run_gc() /* GC enabled and no monitor held */
{
    long before = gc_finished;
    J->RunGC();
    if (gc_finished == before) note(C_gc_rungc_without_gc);
}

void on_init_done(JNIEnv *env)
{
    initialised = true;
    if (have_handles && env) probe(env);
    start_thread("OLV sampler", sampler);
    if (opt->window) start_thread("OLV window", window);
}

void on_dump()
{
    if (opt->rungc) run_gc();
    J->RawMonitorEnter(ctl_mon);
    int n = ++dump_no;
    J->RawMonitorExit(ctl_mon);
    write_report(opt->file + format(".%d", n), make_report("intermediate"));
}

void on_shut_down()
{
    unsigned long long end = now_us() + 1000000;
    J->RawMonitorEnter(ctl_mon);
    stopping = true;
    J->RawMonitorNotifyAll(ctl_mon);
    while (system_threads > 0 && now_us() < end) J->RawMonitorWait(ctl_mon, 100);
    J->RawMonitorExit(ctl_mon);
    if (opt->rungc) run_gc();
    std::string text = make_report("final");
    dead = true;
    write_report(opt->file, text);
}

/* Does this event carry a jobjectID, so that it comes with GC disabled? */
bool carries_id(jint type)
{
    return type == JVMPI_EVENT_OBJECT_ALLOC || type == JVMPI_EVENT_CLASS_LOAD || type == JVMPI_EVENT_CLASS_UNLOAD ||
           type == JVMPI_EVENT_THREAD_START || type == JVMPI_EVENT_JNI_GLOBALREF_ALLOC ||
           type == JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC;
}

void dispatch(JVMPI_Event *ev)
{
    bool requested = (ev->event_type & JVMPI_REQUESTED_EVENT) != 0;
    jint type = ev->event_type & ~JVMPI_REQUESTED_EVENT;
    if (type < 1 || type > JVMPI_MAX_EVENT_TYPE_VAL) return;
    if (dead) { /* a bracket that is open must be closed all the same */
        if (type == JVMPI_EVENT_GC_FINISH && in_gc) on_gc_finish(ev);
        return;
    }
    (requested ? requested_count : event_count)[type].fetch_add(1, std::memory_order_relaxed);

    switch (type) {
    case JVMPI_EVENT_GC_START:
        if (!ev->env_id) note(C_gc_event_env_null);
        on_gc_start(ev->env_id);
        return;
    case JVMPI_EVENT_GC_FINISH: on_gc_finish(ev); return;
    case JVMPI_EVENT_OBJECT_FREE:
    case JVMPI_EVENT_OBJECT_MOVE:
    case JVMPI_EVENT_ARENA_DELETE: on_suspended_mode(ev, type); return;
    case JVMPI_EVENT_ARENA_NEW: on_arena_new(ev); return;
    }
    bool hard = suspended; /* read before in_gc: GC_FINISH clears it first */
    if (in_gc) {
        if (gc_thread == self()) { on_gc_thread(ev, type); return; }
        /* Up to the return of GC_START others may run; but a GC cannot begin in their events. */
        if (!carries_id(type)) note(C_event_without_id_from_other_thread_in_bracket);
        else note(hard ? C_event_with_id_from_other_thread_while_suspended : C_event_with_id_from_other_thread_in_bracket);
    }
    switch (type) {
    case JVMPI_EVENT_OBJECT_ALLOC: on_alloc(ev, requested); break;
    case JVMPI_EVENT_CLASS_LOAD: on_class_load(ev, requested); break;
    case JVMPI_EVENT_CLASS_UNLOAD: { HeapLock l; do_class_unload(ev->u.class_unload.class_id); break; }
    case JVMPI_EVENT_THREAD_START: on_thread_start(ev, requested); break;
    case JVMPI_EVENT_THREAD_END: on_thread_end(ev); break;
    case JVMPI_EVENT_JNI_GLOBALREF_ALLOC: on_ref_alloc(ev, false); break;
    case JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC: on_ref_alloc(ev, true); break;
    case JVMPI_EVENT_JNI_GLOBALREF_FREE: { HeapLock l; do_ref_free(ev->u.jni_globalref_free.ref_id, false); break; }
    case JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE: { HeapLock l; do_ref_free(ev->u.jni_globalref_free.ref_id, true); break; }
    case JVMPI_EVENT_JVM_INIT_DONE: on_init_done(ev->env_id); break;
    case JVMPI_EVENT_DATA_DUMP_REQUEST: on_dump(); break;
    case JVMPI_EVENT_JVM_SHUT_DOWN: on_shut_down(); break;
    }
}

extern "C" void olv_notify(JVMPI_Event *ev)
{
    try {
        dispatch(ev);
    } catch (...) {
        note(C_internal_exception);
    }
}

bool parse(const char *text)
{
    std::string s = text ? text : "";
    opt->text = s;
    opt->file = "olv.txt";
    opt->window = opt->rungc = opt->strict = opt->daring = false;
    opt->jni = true;
    opt->win_start = opt->win_len = 0;
    opt->samples = 64;
    opt->interval = 200;
    opt->resolve = 512;
    for (size_t at = 0; at < s.size();) {
        size_t end = std::min(s.find(',', at), s.size());
        std::string one = s.substr(at, end - at);
        at = end + 1;
        if (one.empty()) continue;
        size_t eq = one.find('=');
        std::string key = one.substr(0, eq), val = eq == std::string::npos ? "" : one.substr(eq + 1);
        long n = strtol(val.c_str(), 0, 10);
        if (key == "file" && !val.empty()) opt->file = val;
        else if (key == "window" && sscanf(val.c_str(), "%ld:%ld", &opt->win_start, &opt->win_len) == 2) opt->window = true;
        else if (key == "rungc") opt->rungc = n != 0;
        else if (key == "strict") opt->strict = n != 0;
        else if (key == "samples") opt->samples = n;
        else if (key == "interval" && n > 0) opt->interval = n;
        else if (key == "resolve") opt->resolve = n;
        else if (key == "jni" && (val == "after" || val == "daring" || val == "off")) {
            opt->jni = val != "off";
            opt->daring = val == "daring";
        } else {
            fprintf(stderr, "olv: bad option \"%s\"; known: file=PATH window=START_MS:LEN_MS rungc=0|1 strict=0|1"
                            " samples=N interval=MS resolve=N jni=after|daring|off\n", one.c_str());
            return false;
        }
    }
    return true;
}

jint load(JavaVM *jvm, const char *options)
{
    static char heap_name[] = "_olv heap", ctl_name[] = "_olv control";
    static const jint events[] = {
        JVMPI_EVENT_CLASS_LOAD, JVMPI_EVENT_CLASS_UNLOAD, JVMPI_EVENT_ARENA_NEW, JVMPI_EVENT_ARENA_DELETE,
        JVMPI_EVENT_THREAD_START, JVMPI_EVENT_THREAD_END, JVMPI_EVENT_GC_START, JVMPI_EVENT_GC_FINISH,
        JVMPI_EVENT_JNI_GLOBALREF_ALLOC, JVMPI_EVENT_JNI_GLOBALREF_FREE,
        JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC, JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE,
        JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_DATA_DUMP_REQUEST, JVMPI_EVENT_JVM_SHUT_DOWN };
    vm = jvm;
    opt = new Options();
    if (!parse(options)) return JNI_ERR;
    void *p = 0;
    if (jvm->GetEnv(&p, JVMPI_VERSION_1_1) >= 0 && p) {
        J = static_cast<JVMPI_Interface *>(p);
        have_handles = J->version >= JVMPI_VERSION_1_1;
    } else if (jvm->GetEnv(&p, JVMPI_VERSION_1) >= 0 && p) {
        J = static_cast<JVMPI_Interface *>(p);
    } else {
        fprintf(stderr, "olv: no JVMPI in this virtual machine\n");
        return JNI_ERR;
    }
    t0 = now_us();
    enable_failures = new std::vector<std::pair<int, jint> >();
    M = new Model();
    heap_mon = J->RawMonitorCreate(heap_name);
    ctl_mon = J->RawMonitorCreate(ctl_name);
    if (!heap_mon || !ctl_mon) return JNI_ERR;
    log_reserve(CHUNK);
    J->NotifyEvent = olv_notify; /* before the first event is enabled */
    for (size_t i = 0; i < sizeof events / sizeof events[0]; ++i) enable(events[i]);
    if (!opt->window) follow_objects(true);
    return JNI_OK;
}

} // namespace

extern "C" JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *jvm, char *options, void *)
{
    try {
        return load(jvm, options);
    } catch (...) {
        return JNI_ERR;
    }
}

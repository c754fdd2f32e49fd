/*
 * vendor2.cpp - class instrumentation and partial profiling agent (JVMPI)
 *
 *   java -Xrunvendor2:report=FILE,instrument=PREFIX[,exit=N,after=MS]
 *                     [,tick=MS][,native=CLASS] MyProgram
 *
 * Written against "Java Virtual Machine Profiler Interface", J2SDK 1.4.2.
 *
 * LOCKING.  Lock order is  "GC disabled"  ->  gLock.  Handlers which the VM
 * calls with GC disabled just enter gLock; everybody else who holds object
 * IDs calls DisableGC() first.  GC_START takes gLock and GC_FINISH gives it
 * back, so OBJECT_MOVE may touch the class table without locking.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdarg.h>
#include <time.h>
#ifdef TRACE
#include <pthread.h>
#endif
#include <jni.h>
#include <jvmpi.h>

typedef unsigned char u1;
static JavaVM          *gVM;
static JVMPI_Interface *gPI;
#define CALL(f) (gPI->f)

/* ------------------------------------------------------------ options */
static char  optReport[1024] = "vendor2.txt";
static char  optPrefix[256]  = "";
static char  optNative[256]  = "";
static int   optExit = -1, optAfter = 1000, optTick = 20;
#define LATE 3000       /* ms that no wait takes longer than asked, but for those in which threads waited for a processor */
#define VERY_LATE 20000 /* the same where the kernel does not tell of those */
#define UNDER_WAY 16    /* events that threads may be about to send when they are switched off, one each */
static const char PAT_OLD[] = "ORIGINAL";
static const char PAT_NEW[] = "INSTRUMENTED-BY-VENDOR2";

/* -------------------------------------------------------------- state */
static JVMPI_RawMonitor gLock;          /* all tables */
static JVMPI_RawMonitor gCtl;           /* control thread wait/notify */
static int  gHave12, gInitDone, gShutDown, gStop, gCtlRunning, gReportDone;
static JNIEnv *gCtlEnv;
static int gWritten; static jint gVersion0; static jlong gT0;

#define MAXEV 256
static long evCount[MAXEV], evReq[MAXEV], evAfterShut[MAXEV];

struct MethodInfo { char *name, *sig; int access, minLine, maxLine; };

struct ClassFile {                      /* what CLASS_LOAD_HOOK saw */
    char *name, *source;
    int len, cpCount, access, nIfaces, nStatics, nInst, nMethods, patched;
    MethodInfo *m;
    JNIEnv *env;
    int clOff;                          /* CLASS_LOAD was off then */
    ClassFile *next;
};
struct ClassRec;
struct MethodRec {
    jmethodID id; char *name, *sig; int start, end; long hits;
    ClassRec *cls; MethodRec *next;
};
struct ClassRec {                       /* what CLASS_LOAD told */
    jobjectID id, newId; char *name; int nMethods, requested, patched, noHook;
    MethodRec *methods; ClassRec *next;
};
#define HIST 48
struct ThreadRec {
    JNIEnv *env; jobjectID obj; char *name, *group, *parent;
    int requested, ended, startSeq;
    int histStatus[HIST]; long histLen[HIST]; int nHist; long histLost;
    long samples, nRun, nMon, nCond, nOther, nSusp, nIntr;
    long suspended, suspFailed, resFailed, bitMissing, bitLeft, ran, notRan, frames;
    jlong cpuFirst, cpuLast; long cpuCalls;
    ThreadRec *next;
};
#define HASH 2039
static ClassFile *pendTab[HASH];
static ClassRec  *clsTab[HASH];
static MethodRec *mthTab[HASH];
static ClassRec  *movedList;
static ThreadRec *threads;              /* live and dead ones */
#define MAXUNK 64
static JNIEnv    *unkEnv[MAXUNK]; static int nUnkEnv;
static jmethodID  unkMth[MAXUNK]; static int nUnkMth;

static long nHook, nHookBad, nPatched, nPatchStrings, totCp, totMethods;
static long nLoad, nLoadNoHook, nLoadMatched, nLoadReq, nUnload, nUnloadUnk, nMoves;
static long nLoadWhileOff, nThreadStartWhileOff, nReqClass, nReqThread, nReqFail;
static long nSuspRounds, nGcStart, nGcFinish, nSlash, nDot, nLineOut, nTraces, nNegTraces, nLateHook, nArrays;
static int  gClassLoadOff, gThreadStartOff;
static long gOffSinceTick, gTick, gLateOnes;
static jobjectID gWantClass;  static int gGotClass;
static jobjectID gWantThread; static int gGotThread;
static char gVersionText[256] = "?";
static char gJniText[256] = "not tried";
static char gPingText[512] = "native never called";
static long nPings;

/* ms for which some thread of the machine has waited for a processor; -1 if the kernel does not say. */
static jlong busyMs()
{
    FILE *f = fopen("/proc/pressure/cpu", "r"); unsigned long long total; jlong ms = -1;
    if (f) { if (fscanf(f, "some avg10=%*f avg60=%*f avg300=%*f total=%llu", &total) == 1) ms = (jlong)(total / 1000); fclose(f); }
    return ms;
}
/* When something that began at such a time (busy: busyMs() then) is late. */
static jlong lateMs(jlong busy)
{
    jlong now = busyMs();
    return busy < 0 || now < 0 ? VERY_LATE : LATE + now - busy;
}
static jlong nowMs()
{
    struct timespec ts; clock_gettime(CLOCK_MONOTONIC, &ts);   /* nobody sets it while a wait is measured */
    return (jlong)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}
static char *dup(const char *s)         /* event strings die with the event */
{
    if (!s) s = "(null)";
    char *p = (char *)malloc(strlen(s) + 1); strcpy(p, s); return p;
}

/* ----------------------------------------------------------- findings */
#define MAXFIND 400
#define PERCAT 12
struct Finding { const char *cat; char text[300]; };
static Finding finds[MAXFIND]; static int nFinds;
static struct { const char *cat; long n; } cats[64], keepCats[64]; static int nCats;

static void finding(const char *cat, const char *fmt, ...)   /* not in suspended mode */
{
    int i;
    va_list ap;
    CALL(RawMonitorEnter)(gLock);
    for (i = 0; i < nCats && strcmp(cats[i].cat, cat); i++) ;
    if (i == nCats && nCats < 64) { cats[nCats].cat = cat; cats[nCats++].n = 0; }
    if (i < 64 && cats[i].n++ < PERCAT && nFinds < MAXFIND) {
        finds[nFinds].cat = cat;
        va_start(ap, fmt); vsnprintf(finds[nFinds].text, 300, fmt, ap); va_end(ap);
        nFinds++;
    }
    CALL(RawMonitorExit)(gLock);
}

/* ---------------------------------------------------- class file reader */
struct Rd { const u1 *p, *end; int bad; };
static unsigned r1(Rd *r) { if (r->end - r->p < 1) { r->bad = 1; return 0; } return *r->p++; }
static unsigned r2(Rd *r) { unsigned a = r1(r); return a << 8 | r1(r); }
static unsigned r4(Rd *r) { unsigned a = r2(r); return a << 16 | r2(r); }
static void skip(Rd *r, unsigned n)
{ if ((unsigned long)(r->end - r->p) < n) { r->bad = 1; r->p = r->end; } else r->p += n; }

struct Pool { int n; int *off; u1 *tag; const u1 *base; int endOff; };

static char *utf(Pool *cp, int i)
{
    if (i <= 0 || i >= cp->n || cp->tag[i] != 1) return dup("");
    const u1 *p = cp->base + cp->off[i];
    int l = p[0] << 8 | p[1];
    char *s = (char *)malloc(l + 1);
    memcpy(s, p + 2, l); s[l] = 0; return s;
}
static int utfIs(Pool *cp, int i, const char *s)
{
    if (i <= 0 || i >= cp->n || cp->tag[i] != 1) return 0;
    const u1 *p = cp->base + cp->off[i];
    int l = p[0] << 8 | p[1];
    return l == (int)strlen(s) && !memcmp(p + 2, s, l);
}
static int readPool(Rd *r, Pool *cp, const u1 *base)
{
    int i;
    cp->n = r2(r); cp->base = base;
    cp->off = (int *)calloc(cp->n + 1, sizeof(int));
    cp->tag = (u1 *)calloc(cp->n + 1, 1);
    for (i = 1; i < cp->n && !r->bad; i++) {
        int t = r1(r);
        cp->tag[i] = t; cp->off[i] = r->p - base;
        switch (t) {
        case 1: { unsigned l = r2(r); skip(r, l); break; }
        case 3: case 4: case 9: case 10: case 11: case 12: skip(r, 4); break;
        case 5: case 6: skip(r, 8); i++; break;
        case 7: case 8: skip(r, 2); break;
        /* later class file versions */
        case 15: skip(r, 3); break;
        case 16: case 19: case 20: skip(r, 2); break;
        case 17: case 18: skip(r, 4); break;
        default: r->bad = 1;
        }
    }
    cp->endOff = r->p - base;
    return !r->bad;
}
static void readCode(Rd *r, Pool *cp, MethodInfo *m)
{
    unsigned n, i, k;
    skip(r, 4); skip(r, r4(r)); skip(r, 8 * r2(r));
    for (n = r2(r), i = 0; i < n && !r->bad; i++) {
        int nm = r2(r); unsigned l = r4(r);
        if (utfIs(cp, nm, "LineNumberTable")) {
            for (k = r2(r); k-- > 0 && !r->bad; ) {
                r2(r); int ln = r2(r);
                if (m->minLine < 0 || ln < m->minLine) m->minLine = ln;
                if (ln > m->maxLine) m->maxLine = ln;
            }
        } else skip(r, l);
    }
}
static void freeClassFile(ClassFile *cf)
{
    for (int i = 0; cf->m && i < cf->nMethods; i++) { free(cf->m[i].name); free(cf->m[i].sig); }
    free(cf->m); free(cf->name); free(cf->source); free(cf);
}
static ClassFile *parse(const u1 *data, int len, Pool *cp)
{
    Rd rd, *r = &rd;
    int i, k, n, na;
    rd.p = data; rd.end = data + len; rd.bad = 0;
    memset(cp, 0, sizeof *cp);
    if (r4(r) != 0xCAFEBABEu) return 0;
    skip(r, 4);
    if (!readPool(r, cp, data)) return 0;
    ClassFile *cf = (ClassFile *)calloc(1, sizeof(ClassFile));
    cf->len = len; cf->cpCount = cp->n; cf->access = r2(r);
    i = r2(r);
    if (i > 0 && i < cp->n && cp->tag[i] == 7) {
        const u1 *q = data + cp->off[i];
        cf->name = utf(cp, q[0] << 8 | q[1]);
    } else { cf->name = dup(""); rd.bad = 1; }
    r2(r);
    cf->nIfaces = r2(r); skip(r, 2 * cf->nIfaces);
    for (n = r2(r), i = 0; i < n && !rd.bad; i++) {
        int acc = r2(r); skip(r, 4);
        if (acc & 8) cf->nStatics++; else cf->nInst++;
        for (na = r2(r), k = 0; k < na; k++) { skip(r, 2); skip(r, r4(r)); }
    }
    cf->nMethods = r2(r);
    cf->m = (MethodInfo *)calloc(cf->nMethods + 1, sizeof(MethodInfo));
    for (i = 0; i < cf->nMethods && !rd.bad; i++) {
        MethodInfo *m = &cf->m[i];
        m->access = r2(r); m->name = utf(cp, r2(r)); m->sig = utf(cp, r2(r));
        m->minLine = m->maxLine = -1;
        for (na = r2(r), k = 0; k < na && !rd.bad; k++) {
            int nm = r2(r); unsigned l = r4(r);
            if (utfIs(cp, nm, "Code")) readCode(r, cp, m); else skip(r, l);
        }
    }
    for (na = r2(r), k = 0; k < na && !rd.bad; k++) {
        int nm = r2(r); unsigned l = r4(r);
        if (utfIs(cp, nm, "SourceFile")) cf->source = utf(cp, r2(r)); else skip(r, l);
    }
    if (!cf->source) cf->source = dup("");
    if (rd.bad || rd.p != rd.end) { freeClassFile(cf); return 0; }
    return cf;
}
static unsigned hashStr(const char *s)          /* '/' and '.' are the same */
{
    unsigned h = 0;
    for (; *s; s++) h = h * 31 + (*s == '/' ? '.' : (u1)*s);
    return h % HASH;
}
static int sameName(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if ((*a == '/' ? '.' : *a) != (*b == '/' ? '.' : *b)) return 0;
    return *a == *b;
}
static unsigned hashPtr(const void *p) { return (unsigned)(((unsigned long)p >> 3) % HASH); }

/* ------------------------------------------------------- threads table */
static ThreadRec *findThread(JNIEnv *env)       /* under gLock */
{
    ThreadRec *t;
    for (t = threads; t; t = t->next) if (t->env == env && !t->ended) return t;
    return 0;
}
static void noteEnv(JNIEnv *env)                /* under gLock */
{
    int i;
    if (!env || findThread(env)) return;
    for (i = 0; i < nUnkEnv; i++) if (unkEnv[i] == env) return;
    if (nUnkEnv < MAXUNK) unkEnv[nUnkEnv++] = env;
}
static void cpuSample(ThreadRec *t)             /* only for the current thread */
{
    jlong c = CALL(GetCurrentThreadCpuTime)();
    if (!t) return;
    if (t->cpuCalls++ == 0) t->cpuFirst = c;
    else if (c < t->cpuLast)
        finding("cputime", "CPU time of \"%s\" went back: %lld -> %lld ns", t->name,
                (long long)t->cpuLast, (long long)c);
    t->cpuLast = c;
}

/* ------------------------------------------------------ CLASS_LOAD_HOOK */
static void onHook(JVMPI_Event *ev)
{
    u1 *data = ev->u.class_load_hook.class_data;
    int len = ev->u.class_load_hook.class_data_len;
    int i, nStr = 0;
    Pool cp;
    ev->u.class_load_hook.new_class_data = data;        /* default: unchanged */
    ev->u.class_load_hook.new_class_data_len = len;
    ClassFile *cf = parse(data, len, &cp);
    if (!cf) {
        nHookBad++;
        finding("classfile", "CLASS_LOAD_HOOK: %d bytes which are no class file for me", len);
        free(cp.off); free(cp.tag);
        return;
    }
    if (*optPrefix && !strncmp(cf->name, optPrefix, strlen(optPrefix))) {
        for (i = 1; i < cp.n; i++)
            if (cp.tag[i] == 8) {
                u1 *q = data + cp.off[i];
                if (utfIs(&cp, q[0] << 8 | q[1], PAT_OLD)) nStr++;
            }
        if (nStr && cp.n < 65535) {
            /* a new Utf8 goes to the end of the pool (somebody else may use
             * the old one as a name); the String entries then point to it */
            int add = 3 + (int)strlen(PAT_NEW);
            u1 *nd = (u1 *)ev->u.class_load_hook.malloc_f((unsigned)(len + add));
            if (!nd) finding("malloc_f", "malloc_f(%d) gave NULL", len + add);
            else {
                memcpy(nd, data, cp.endOff);
                nd[cp.endOff] = 1;
                nd[cp.endOff + 1] = 0; nd[cp.endOff + 2] = (u1)strlen(PAT_NEW);
                memcpy(nd + cp.endOff + 3, PAT_NEW, strlen(PAT_NEW));
                memcpy(nd + cp.endOff + add, data + cp.endOff, len - cp.endOff);
                nd[8] = (u1)((cp.n + 1) >> 8); nd[9] = (u1)(cp.n + 1);
                for (i = 1; i < cp.n; i++)
                    if (cp.tag[i] == 8) {
                        u1 *q = nd + cp.off[i];
                        if (utfIs(&cp, q[0] << 8 | q[1], PAT_OLD))
                            { q[0] = (u1)(cp.n >> 8); q[1] = (u1)cp.n; }
                    }
                ev->u.class_load_hook.new_class_data = nd;
                ev->u.class_load_hook.new_class_data_len = len + add;
                cf->patched = nStr;
            }
        }
    }
    free(cp.off); free(cp.tag);
    cf->env = ev->env_id;
    CALL(RawMonitorEnter)(gLock);
    nHook++; totCp += cf->cpCount - 1; totMethods += cf->nMethods;
    if (cf->patched) { nPatched++; nPatchStrings += cf->patched; }
    cf->clOff = gClassLoadOff;
    ClassRec *cr;
    for (i = 0; i < HASH; i++)          /* was the class announced already? */
        for (cr = clsTab[i]; cr; cr = cr->next)
            if (cr->noHook && sameName(cr->name, cf->name)) {
                cr->noHook = 0; nLateHook++;
                finding("hookorder", "CLASS_LOAD_HOOK of %s after its CLASS_LOAD (INIT_DONE %s)", cf->name, gInitDone ? "seen" : "not yet");
                if (cr->nMethods != cf->nMethods) finding("methods", "%s: class file has %d methods, CLASS_LOAD said %d", cf->name, cf->nMethods, cr->nMethods);
                cpuSample(findThread(ev->env_id));
                CALL(RawMonitorExit)(gLock);
                freeClassFile(cf);
                return;
            }
    unsigned h = hashStr(cf->name);
    cf->next = pendTab[h]; pendTab[h] = cf;
    noteEnv(ev->env_id);
    cpuSample(findThread(ev->env_id));
    CALL(RawMonitorExit)(gLock);
}

/* ---------------------------------------------------------- CLASS_LOAD */
static ClassRec *findClass(jobjectID id)
{
    ClassRec *c;
    for (c = clsTab[hashPtr(id)]; c; c = c->next) if (c->id == id) return c;
    return 0;
}
static MethodRec *findMethod(jmethodID id)
{
    MethodRec *m;
    for (m = mthTab[hashPtr(id)]; m; m = m->next) if (m->id == id) return m;
    return 0;
}
static ClassFile *takePending(const char *name, JNIEnv *env)
{
    ClassFile **pp, **best = 0;
    for (pp = &pendTab[hashStr(name)]; *pp; pp = &(*pp)->next)
        if (sameName((*pp)->name, name)) {
            if ((*pp)->env == env) { best = pp; break; }
            if (!best) best = pp;
        }
    if (!best) return 0;
    ClassFile *cf = *best; *best = cf->next; return cf;
}
static void compare(ClassFile *cf, JVMPI_Event *ev)
{
    char *n = ev->u.class_load.class_name;
    int i, k, nm = ev->u.class_load.num_methods, miss = 0, order = 0;
    if (cf->nMethods != nm)
        finding("methods", "%s: class file has %d methods, CLASS_LOAD says %d", n, cf->nMethods, nm);
    if (cf->nIfaces != ev->u.class_load.num_interfaces)
        finding("interfaces", "%s: class file %d interfaces, CLASS_LOAD %d", n, cf->nIfaces,
                (int)ev->u.class_load.num_interfaces);
    if (cf->nStatics != ev->u.class_load.num_static_fields || cf->nInst != ev->u.class_load.num_instance_fields)
        finding("fields", "%s: class file %d static + %d instance fields, CLASS_LOAD %d + %d", n,
                cf->nStatics, cf->nInst, (int)ev->u.class_load.num_static_fields,
                (int)ev->u.class_load.num_instance_fields);
    const char *src = ev->u.class_load.source_name;
    if (strcmp(cf->source, src ? src : ""))
        finding("source", "%s: SourceFile \"%s\", CLASS_LOAD source_name %s", n, cf->source, src ? src : "NULL");
    for (i = 0; i < nm; i++) {
        JVMPI_Method *m = &ev->u.class_load.methods[i];
        for (k = 0; k < cf->nMethods; k++)
            if (!strcmp(m->method_name, cf->m[k].name) && !strcmp(m->method_signature, cf->m[k].sig)) break;
        if (k == cf->nMethods) { if (!miss++) finding("methods", "%s: %s%s is not in the class file", n, m->method_name, m->method_signature); continue; }
        if (k != i) order++;
        if (cf->m[k].minLine >= 0 && (m->start_lineno != cf->m[k].minLine || m->end_lineno != cf->m[k].maxLine))
            finding("lines", "%s.%s: LineNumberTable %d..%d, CLASS_LOAD %d..%d", n, m->method_name,
                    cf->m[k].minLine, cf->m[k].maxLine, (int)m->start_lineno, (int)m->end_lineno);
        if (cf->m[k].minLine < 0 && (m->start_lineno > 0 || m->end_lineno > 0))
            finding("lines", "%s.%s has no lines, CLASS_LOAD says %d..%d", n, m->method_name,
                    (int)m->start_lineno, (int)m->end_lineno);
    }
    if (order) finding("order", "%s: %d methods not in the order of the class file", n, order);
}
static void onClassLoad(JVMPI_Event *ev, int requested)
{
    jobjectID id = ev->u.class_load.class_id;
    char *name = ev->u.class_load.class_name;
    int i;
    CALL(RawMonitorEnter)(gLock);
    nLoad++;
    if (requested) nLoadReq++;
    else if (gClassLoadOff) {
        nLoadWhileOff++;
        if (gTick > gOffSinceTick + 1 && ++gLateOnes > UNDER_WAY)
            finding("switch", "CLASS_LOAD of %s though the event is off", name ? name : "NULL");
    }
    if (!name || !id) { finding("null", "CLASS_LOAD: name %s id %p", name ? name : "NULL", (void *)id);
        CALL(RawMonitorExit)(gLock); return; }
    if (strchr(name, '/')) nSlash++;
    if (strchr(name, '.')) nDot++;
    if (requested && id == gWantClass) gGotClass = 1;
    ClassRec *c = findClass(id);
    if (c) {
        if (!requested) finding("duplicate", "CLASS_LOAD of %s: id %p already is %s", name, (void *)id, c->name);
        else if (strcmp(c->name, name)) finding("duplicate", "requested CLASS_LOAD: id %p was %s, is %s", (void *)id, c->name, name);
        CALL(RawMonitorExit)(gLock);
        return;
    }
    c = (ClassRec *)calloc(1, sizeof *c);
    c->id = id; c->name = dup(name); c->requested = requested;
    c->nMethods = ev->u.class_load.num_methods;
    ClassFile *cf = takePending(name, ev->env_id);
    if (cf) { nLoadMatched++; compare(cf, ev); c->patched = cf->patched; freeClassFile(cf); }
    else {
        nLoadNoHook++; c->noHook = 1;
        if (name[0] == '[') nArrays++;
    }
    for (i = 0; i < ev->u.class_load.num_methods; i++) {
        JVMPI_Method *jm = &ev->u.class_load.methods[i];
        MethodRec *old = findMethod(jm->method_id);
        if (!jm->method_id || old) {
            finding("methodid", "%s.%s: method id %p %s %s", name, jm->method_name, (void *)jm->method_id,
                    old ? "already is" : "is null", old ? old->name : "");
            continue;
        }
        MethodRec *m = (MethodRec *)calloc(1, sizeof *m);
        m->id = jm->method_id; m->name = dup(jm->method_name); m->sig = dup(jm->method_signature);
        m->start = jm->start_lineno; m->end = jm->end_lineno; m->cls = c;
        unsigned h = hashPtr(m->id);
        m->next = mthTab[h]; mthTab[h] = m;
        jobjectID mc = CALL(GetMethodClass)(m->id);     /* GC is disabled here */
        if (mc != id) finding("methodclass", "GetMethodClass(%s.%s) = %p, class id is %p", name, m->name, (void *)mc, (void *)id);
    }
    unsigned h = hashPtr(id);
    c->next = clsTab[h]; clsTab[h] = c;
    if (!requested) noteEnv(ev->env_id);
    CALL(RawMonitorExit)(gLock);
}
static void onClassUnload(JVMPI_Event *ev)
{
    ClassRec **pp, *c; MethodRec **mp, *m; int i;
    CALL(RawMonitorEnter)(gLock);
    nUnload++;
    for (pp = &clsTab[hashPtr(ev->u.class_unload.class_id)]; *pp; pp = &(*pp)->next)
        if ((*pp)->id == ev->u.class_unload.class_id) break;
    if (!*pp) nUnloadUnk++;
    else {
        c = *pp; *pp = c->next;
        for (i = 0; i < HASH; i++)
            for (mp = &mthTab[i]; *mp; )
                if ((*mp)->cls == c) { m = *mp; *mp = m->next; free(m->name); free(m->sig); free(m); }
                else mp = &(*mp)->next;
        free(c->name); free(c);
    }
    CALL(RawMonitorExit)(gLock);
}
/* GC_START has taken gLock; no malloc, no monitors in here */
static void onObjectMove(JVMPI_Event *ev)
{
    ClassRec **pp; ThreadRec *t;
    for (pp = &clsTab[hashPtr(ev->u.obj_move.obj_id)]; *pp; pp = &(*pp)->next)
        if ((*pp)->id == ev->u.obj_move.obj_id) {
            ClassRec *c = *pp; *pp = c->next;
            c->newId = ev->u.obj_move.new_obj_id; c->next = movedList; movedList = c;
            nMoves++;
            break;
        }
    for (t = threads; t; t = t->next) if (t->obj == ev->u.obj_move.obj_id) { t->obj = ev->u.obj_move.new_obj_id; break; }
}
static void onGcFinish()
{
    ClassRec *c;
    nGcFinish++;
    while ((c = movedList) != 0) {
        movedList = c->next; c->id = c->newId;
        unsigned h = hashPtr(c->id);
        c->next = clsTab[h]; clsTab[h] = c;
    }
    CALL(RawMonitorExit)(gLock);
}

/* -------------------------------------------------------------- threads */
static int seq;
static void onThreadStart(JVMPI_Event *ev, int requested)
{
    JNIEnv *env = ev->u.thread_start.thread_env_id;
    int i;
    CALL(RawMonitorEnter)(gLock);
    if (!requested && gThreadStartOff) {
        nThreadStartWhileOff++;
        if (gTick > gOffSinceTick + 1 && ++gLateOnes > UNDER_WAY)
            finding("switch", "THREAD_START of %s though the event is off", ev->u.thread_start.thread_name);
    }
    if (requested && ev->u.thread_start.thread_id == gWantThread) gGotThread = 1;
    for (i = 0; i < nUnkEnv; i++) if (unkEnv[i] == env) { unkEnv[i] = unkEnv[--nUnkEnv]; break; }
    ThreadRec *t = findThread(env);
    if (t) {
        if (!requested) finding("thread", "THREAD_START \"%s\": env %p already is \"%s\"",
                                ev->u.thread_start.thread_name, (void *)env, t->name);
        else if (strcmp(t->name, ev->u.thread_start.thread_name))
            finding("thread", "requested THREAD_START: \"%s\" was \"%s\"", ev->u.thread_start.thread_name, t->name);
        CALL(RawMonitorExit)(gLock);
        return;
    }
    t = (ThreadRec *)calloc(1, sizeof *t);
    t->env = env; t->obj = ev->u.thread_start.thread_id;
    t->name = dup(ev->u.thread_start.thread_name); t->group = dup(ev->u.thread_start.group_name);
    t->parent = dup(ev->u.thread_start.parent_name);
    t->requested = requested; t->startSeq = ++seq;
    if (!ev->u.thread_start.group_name || !ev->u.thread_start.thread_name)
        finding("null", "THREAD_START \"%s\" group \"%s\" parent \"%s\" (tick %ld)", t->name, t->group, t->parent, gTick);
    t->next = threads; threads = t;
    CALL(RawMonitorExit)(gLock);
    if (!env) { finding("null", "THREAD_START \"%s\" with thread_env_id NULL", t->name); return; }
    CALL(SetThreadLocalStorage)(env, t);
    jobjectID o = CALL(GetThreadObject)(env);
    if (o != t->obj) finding("threadobj", "GetThreadObject(\"%s\") = %p, thread_id is %p", t->name, (void *)o, (void *)t->obj);
}
static void onThreadEnd(JVMPI_Event *ev)
{
    int i;
    CALL(RawMonitorEnter)(gLock);
    for (i = 0; i < nUnkEnv; i++) if (unkEnv[i] == ev->env_id) { unkEnv[i] = unkEnv[--nUnkEnv]; break; }
    ThreadRec *t = findThread(ev->env_id);
    void *tls = CALL(GetThreadLocalStorage)(ev->env_id);
    if (t) {
        if (tls != t) finding("tls", "THREAD_END \"%s\": thread local storage %p, not %p", t->name, tls, (void *)t);
        cpuSample(t); t->ended = 1;
    } else if (!gThreadStartOff && tls)
        finding("tls", "THREAD_END of unknown env %p with storage %p", (void *)ev->env_id, tls);
    CALL(RawMonitorExit)(gLock);
}
/* the thread tells about itself: resolve its env at once (GC is disabled) */
static void onMonitorWait(JVMPI_Event *ev)
{
    jint rc; ThreadRec *t;
    CALL(RawMonitorEnter)(gLock); t = findThread(ev->env_id); CALL(RawMonitorExit)(gLock);
    if (t || !gInitDone) return;
    jobjectID o = CALL(GetThreadObject)(ev->env_id);
    rc = o ? CALL(RequestEvent)(JVMPI_EVENT_THREAD_START, o) : JVMPI_FAIL;
    CALL(RawMonitorEnter)(gLock);
    nReqThread++;
    if (rc != JVMPI_SUCCESS || !findThread(ev->env_id))
        finding("request", "RequestEvent(THREAD_START) in MONITOR_WAIT handler: rc %d, env %s", (int)rc,
                findThread(ev->env_id) ? "known" : "still unknown");
    CALL(RawMonitorExit)(gLock);
}

/* -------------------------------------------------------- control thread */
#define MAXTHR 128
#define DEPTH 16
static ThreadRec *sThr[MAXTHR]; static JNIEnv *sEnv[MAXTHR]; static jint sRes[MAXTHR];
static jint sStat[MAXTHR]; static jboolean sRan[MAXTHR];
static JVMPI_CallTrace sTrace[MAXTHR]; static JVMPI_CallFrame sFrames[MAXTHR][DEPTH];

static void histAdd(ThreadRec *t, int st)
{
    int base = st & ~(JVMPI_THREAD_SUSPENDED | JVMPI_THREAD_INTERRUPTED);
    t->samples++;
    if (base == JVMPI_THREAD_RUNNABLE) t->nRun++;
    else if (base == JVMPI_THREAD_MONITOR_WAIT) t->nMon++;
    else if (base == JVMPI_THREAD_CONDVAR_WAIT) t->nCond++;
    else t->nOther++;
    if (st & JVMPI_THREAD_SUSPENDED) t->nSusp++;
    if (st & JVMPI_THREAD_INTERRUPTED) t->nIntr++;
    if (t->nHist && t->histStatus[t->nHist - 1] == st) t->histLen[t->nHist - 1]++;
    else if (t->nHist < HIST) { t->histStatus[t->nHist] = st; t->histLen[t->nHist++] = 1; }
    else t->histLost++;
}
static void sampleStatus()
{
    ThreadRec *t;
    CALL(RawMonitorEnter)(gLock);       /* no object IDs used: GC may stay on */
    for (t = threads; t; t = t->next)
        if (!t->ended && t->env) histAdd(t, CALL(GetThreadStatus)(t->env));
    CALL(RawMonitorExit)(gLock);
}
/* stop the world, look, go on.  Nothing here may block or allocate. */
static void suspendRound()
{
    int n = 0, i, k, pass; ThreadRec *t;
    CALL(DisableGC)();
    CALL(RawMonitorEnter)(gLock);
    for (t = threads; t && n < MAXTHR; t = t->next)
        if (!t->ended && t->env && t->env != gCtlEnv) { sThr[n] = t; sEnv[n++] = t->env; }
    for (pass = 0; pass < 2; pass++) {
        for (i = 0; i < n; i++) sRes[i] = -99;
        CALL(SuspendThreadList)(n, sEnv, sRes);
        for (i = 0; i < n; i++) {
            if (sRes[i]) { sThr[i]->suspFailed++; sStat[i] = -1; continue; }
            sThr[i]->suspended++;
            sStat[i] = CALL(GetThreadStatus)(sEnv[i]);
            if (!(sStat[i] & JVMPI_THREAD_SUSPENDED)) sThr[i]->bitMissing++;
            if (pass) sRan[i] = CALL(ThreadHasRun)(sEnv[i]);
            sTrace[i].env_id = sEnv[i]; sTrace[i].num_frames = 0; sTrace[i].frames = sFrames[i];
            CALL(GetCallTrace)(&sTrace[i], DEPTH);
        }
        for (i = 0; i < n; i++) { sEnv[i] = sThr[i]->env; }
        jint res2[MAXTHR];
        for (i = 0; i < n; i++) res2[i] = -99;
        CALL(ResumeThreadList)(n, sEnv, res2);
        for (i = 0; i < n; i++) {
            if (sRes[i]) continue;
            if (res2[i]) sThr[i]->resFailed++;
            if (CALL(GetThreadStatus)(sEnv[i]) & JVMPI_THREAD_SUSPENDED) sThr[i]->bitLeft++;
            if (pass) { if (sRan[i]) sThr[i]->ran++; else sThr[i]->notRan++; }
        }
        if (pass == 0) {                /* let them run a little */
            CALL(RawMonitorExit)(gLock); CALL(EnableGC)();
            CALL(RawMonitorEnter)(gCtl); if (!gStop) CALL(RawMonitorWait)(gCtl, 5); CALL(RawMonitorExit)(gCtl);
            CALL(DisableGC)(); CALL(RawMonitorEnter)(gLock);
            for (i = k = 0; i < n; i++) if (!sThr[i]->ended) { sThr[k] = sThr[i]; sEnv[k++] = sThr[i]->env; }
            n = k;
        }
    }
    nSuspRounds++;
    /* multi-threaded mode again, GC still off: evaluate the traces */
    for (i = 0; i < n; i++) {
        if (sRes[i]) continue;
        nTraces++;
        if (sTrace[i].num_frames < 0) { nNegTraces++; continue; }
        if (sTrace[i].num_frames > DEPTH) finding("trace", "GetCallTrace gave %d frames, asked for %d", (int)sTrace[i].num_frames, DEPTH);
        for (k = 0; k < sTrace[i].num_frames && k < DEPTH; k++) {
            MethodRec *m = findMethod(sFrames[i][k].method_id);
            int ln = sFrames[i][k].lineno;
            sThr[i]->frames++;
            if (m) {
                if (k == 0) m->hits++;
                if (ln > 0 && m->start > 0 && (ln < m->start || ln > m->end)) {
                    nLineOut++;
                    finding("traceline", "frame %s.%s line %d outside %d..%d", m->cls->name, m->name, ln, m->start, m->end);
                }
                continue;
            }
            int j;
            for (j = 0; j < nUnkMth && unkMth[j] != sFrames[i][k].method_id; j++) ;
            if (j == nUnkMth && nUnkMth < MAXUNK) unkMth[nUnkMth++] = sFrames[i][k].method_id;
        }
    }
    /* unknown methods -> class id -> ask for the defining event */
    for (i = 0; i < nUnkMth; i++) {
        if (findMethod(unkMth[i])) continue;
        jobjectID c = CALL(GetMethodClass)(unkMth[i]);
        if (!c) { finding("methodclass", "GetMethodClass of a method from a call trace gave NULL"); continue; }
        ClassRec *had = findClass(c);
        gWantClass = c; gGotClass = 0; nReqClass++;
        jint rc = CALL(RequestEvent)(JVMPI_EVENT_CLASS_LOAD, c);
        if (rc != JVMPI_SUCCESS) { nReqFail++; finding("request", "RequestEvent(CLASS_LOAD) rc %d", (int)rc); }
        else if (!gGotClass) finding("request", "RequestEvent(CLASS_LOAD) succeeded, but no event came before it returned");
        if (had) finding("trace", "class %s is known, but a frame's method id %p is not one of its %d methods", had->name, (void *)unkMth[i], had->nMethods);
        else if (rc == JVMPI_SUCCESS && !findMethod(unkMth[i])) finding("trace", "requested CLASS_LOAD of %s does not define method id %p", findClass(c) ? findClass(c)->name : "?", (void *)unkMth[i]);
    }
    nUnkMth = 0;
    CALL(RawMonitorExit)(gLock);
    CALL(EnableGC)();
}
static void resolveEnvs()
{
    CALL(DisableGC)();
    CALL(RawMonitorEnter)(gLock);
    while (nUnkEnv > 0) {
        JNIEnv *e = unkEnv[--nUnkEnv];
        if (findThread(e)) continue;
        jobjectID o = CALL(GetThreadObject)(e);
        if (!o) { finding("request", "GetThreadObject(%p) of a live env gave NULL", (void *)e); continue; }
        gWantThread = o; gGotThread = 0; nReqThread++;
        jint rc = CALL(RequestEvent)(JVMPI_EVENT_THREAD_START, o);
        if (rc != JVMPI_SUCCESS) { nReqFail++; finding("request", "RequestEvent(THREAD_START) rc %d", (int)rc); }
        else if (!gGotThread) finding("request", "RequestEvent(THREAD_START): no event before it returned");
        else if (!findThread(e)) finding("request", "RequestEvent(THREAD_START): event has another env than asked");
    }
    CALL(RawMonitorExit)(gLock);
    CALL(EnableGC)();
}
static void expectRc(const char *what, jint rc, jint want)
{ if (rc != want) finding("returncode", "%s returned %d, the specification says %d", what, (int)rc, (int)want); }

static void report(const char *why);
static void setEvents(int on)
{
    jint a, b, c;
#ifdef TRACE
    fprintf(stderr, "T SWITCH %d\n", on);
#endif
    CALL(RawMonitorEnter)(gLock);
    if (!on) { gClassLoadOff = gThreadStartOff = 1; gOffSinceTick = gTick; gLateOnes = 0; }
    CALL(RawMonitorExit)(gLock);
    if (on) { a = CALL(EnableEvent)(JVMPI_EVENT_CLASS_LOAD, NULL); b = CALL(EnableEvent)(JVMPI_EVENT_THREAD_START, NULL);
              c = CALL(DisableEvent)(JVMPI_EVENT_MONITOR_WAIT, NULL); }
    else    { a = CALL(DisableEvent)(JVMPI_EVENT_CLASS_LOAD, NULL); b = CALL(DisableEvent)(JVMPI_EVENT_THREAD_START, NULL);
              c = CALL(EnableEvent)(JVMPI_EVENT_MONITOR_WAIT, NULL); }
    if (on) { CALL(RawMonitorEnter)(gLock); gClassLoadOff = gThreadStartOff = 0; CALL(RawMonitorExit)(gLock); }
#ifdef TRACE
    fprintf(stderr, "T SWITCHED %d\n", on);
#endif
    if (a != JVMPI_SUCCESS || b != JVMPI_SUCCESS || c != JVMPI_SUCCESS)
        finding("switch", "switching %s: CLASS_LOAD %d THREAD_START %d MONITOR_WAIT %d", on ? "on" : "off", (int)a, (int)b, (int)c);
}
static void control(void *arg)
{
    jlong start = nowMs(), c0 = CALL(GetCurrentThreadCpuTime)(), t; int phase;
    if (gVM->GetEnv((void **)&gCtlEnv, JNI_VERSION_1_2) != JNI_OK) finding("systhread", "system thread has no JNIEnv");
    CALL(RawMonitorEnter)(gLock);
    gCtlRunning = 1;
    ThreadRec *self = findThread(gCtlEnv);
    CALL(RawMonitorExit)(gLock);
    if (!self) finding("systhread", "no THREAD_START for my system thread before it runs");
    else if (strcmp(self->name, "vendor2-control")) finding("systhread", "my system thread is called \"%s\"", self->name);
    (void)arg;
    expectRc("EnableEvent(HEAP_DUMP)", CALL(EnableEvent)(JVMPI_EVENT_HEAP_DUMP, NULL), JVMPI_NOT_AVAILABLE);
    expectRc("DisableEvent(MONITOR_DUMP)", CALL(DisableEvent)(JVMPI_EVENT_MONITOR_DUMP, NULL), JVMPI_NOT_AVAILABLE);
    expectRc("RequestEvent(METHOD_ENTRY)", CALL(RequestEvent)(JVMPI_EVENT_METHOD_ENTRY, NULL), JVMPI_NOT_AVAILABLE);
    while (!gStop) {
        jlong busy = busyMs();
        t = nowMs();
        CALL(RawMonitorEnter)(gCtl);
        if (!gStop) CALL(RawMonitorWait)(gCtl, optTick);
        CALL(RawMonitorExit)(gCtl);
        if (gStop) break;
        jlong took = nowMs() - t;
        if (took < optTick - 2 || took > optTick + lateMs(busy))
            finding("wait", "RawMonitorWait(%d) took %d ms", optTick, (int)took);
        CALL(RawMonitorEnter)(gLock); gTick++; CALL(RawMonitorExit)(gLock);
        phase = (int)(gTick % 40);
        if (phase == 5) setEvents(0);
        sampleStatus();
        if (gHave12 && gTick % 4 == 0) suspendRound();
        if (nUnkEnv) resolveEnvs();
        if (phase == 25) setEvents(1);
        cpuSample(self);
        if (optExit >= 0 && nowMs() - start >= optAfter) {
            gStop = 1;
            report("before ProfilerExit");      /* JVM_SHUT_DOWN, if it comes, replaces it */
            CALL(ProfilerExit)(optExit);
            finding("exit", "ProfilerExit(%d) returned", optExit);
            break;
        }
    }
    if (CALL(GetCurrentThreadCpuTime)() < c0) finding("cputime", "control thread: CPU time decreased");
    CALL(RawMonitorEnter)(gCtl); gCtlRunning = 0; CALL(RawMonitorNotifyAll)(gCtl); CALL(RawMonitorExit)(gCtl);
}

/* ------------------------------------------------------------------ JNI */
static jint JNICALL nativePing(JNIEnv *env, jclass cls, jint n)
{
    JavaVM *vm = 0; JVMPI_Interface *pi = 0, *pi2 = 0; JNIEnv *env2 = 0;
    volatile double x = 1; jlong c0, c1; int i;
    (void)cls;
    jint r0 = env->GetJavaVM(&vm);
    jint r1 = vm ? vm->GetEnv((void **)&pi, JVMPI_VERSION_1) : -99;
    jint r2 = vm ? vm->GetEnv((void **)&pi2, 0x7fff0000) : -99;
    jint r3 = vm ? vm->GetEnv((void **)&env2, JNI_VERSION_1_2) : -99;
    if (r0 != JNI_OK || vm != gVM) finding("getenv", "GetJavaVM: rc %d, VM %p, OnLoad had %p", (int)r0, (void *)vm, (void *)gVM);
    if (r1 != JNI_OK || !pi) { finding("getenv", "second GetEnv(JVMPI_VERSION_1): rc %d", (int)r1); return -1; }
    if (gPI->version != gVersion0) finding("getenv", "version of the FIRST interface changed from %x to %x by a second GetEnv(JVMPI_VERSION_1)", (unsigned)gVersion0, (unsigned)gPI->version);
    if (r2 != JNI_EVERSION) finding("getenv", "GetEnv(0x7fff0000): rc %d, expected JNI_EVERSION", (int)r2);
    if (r3 != JNI_OK || env2 != env) finding("getenv", "GetEnv(JNI): rc %d, %p and not %p", (int)r3, (void *)env2, (void *)env);
    if (pi != gPI) {
        if (pi->NotifyEvent && pi->NotifyEvent != gPI->NotifyEvent) finding("getenv", "second interface has another NotifyEvent");
    }
    c0 = pi->GetCurrentThreadCpuTime();
    for (i = 0; i < 3000000; i++) x = x * 1.0000001;
    c1 = pi->GetCurrentThreadCpuTime();
    if (c1 <= c0) finding("cputime", "3000000 multiplications cost %lld ns", (long long)(c1 - c0));
    CALL(RawMonitorEnter)(gLock);
    nPings++;
    ThreadRec *t = findThread(env);
    if (t && pi->GetThreadLocalStorage(env) != t) finding("tls", "native: storage of \"%s\" is not mine", t->name);
    noteEnv(env); cpuSample(t);
    jint st = pi->GetThreadStatus(env);
    if ((st & ~JVMPI_THREAD_INTERRUPTED) != JVMPI_THREAD_RUNNABLE) finding("status", "running thread asks for its status and gets %x", (unsigned)st);
    snprintf(gPingText, sizeof gPingText, "interface %s (version %x, first %x), loop cost %lld us", pi == gPI ? "same pointer" : "another pointer",
             (unsigned)pi->version, (unsigned)gVersion0, (long long)((c1 - c0) / 1000));
    CALL(RawMonitorExit)(gLock);
    return n + 1;
}
/* what does the VM know about this class?  -1 no id, -2 request failed, else methods */
static jint JNICALL nativeAbout(JNIEnv *, jclass, jobject what, jboolean quiet)
{
    jint r = -1; ClassRec *c;
    CALL(DisableGC)();
    CALL(RawMonitorEnter)(gLock);
    jobjectID id = CALL(jobject2jobjectID)(what);
    if (id) {
        c = findClass(id);
        int had = c != 0;
        gWantClass = id; gGotClass = 0; nReqClass++;
        jint rc = CALL(RequestEvent)(JVMPI_EVENT_CLASS_LOAD, id);
        c = findClass(id);
        r = rc == JVMPI_SUCCESS && gGotClass && c ? c->nMethods : -2;
        if (rc != JVMPI_SUCCESS || !c) finding("about", "RequestEvent(CLASS_LOAD) of a live class: rc %d, event %d", (int)rc, gGotClass);
        else if (!had && !quiet) finding("about", "class %s is alive but had no CLASS_LOAD%s", c->name, gClassLoadOff ? " (event is off now)" : "");
    } else finding("about", "jobject2jobjectID gave NULL");
    CALL(RawMonitorExit)(gLock);
    CALL(EnableGC)();
    return r;
}
static void onInitDone(JVMPI_Event *ev)
{
    JNIEnv *env = ev->env_id;
    CALL(RawMonitorEnter)(gLock); gInitDone = 1; CALL(RawMonitorExit)(gLock);
    jclass sys = env->FindClass("java/lang/System");
    if (sys) {
        jmethodID gp = env->GetStaticMethodID(sys, "getProperty", "(Ljava/lang/String;)Ljava/lang/String;");
        jstring s = gp ? (jstring)env->CallStaticObjectMethod(sys, gp, env->NewStringUTF("java.version")) : 0;
        const char *u = s ? env->GetStringUTFChars(s, 0) : 0;
        if (u) { snprintf(gVersionText, sizeof gVersionText, "%s", u); env->ReleaseStringUTFChars(s, u); }
        CALL(DisableGC)();
        CALL(RawMonitorEnter)(gLock);
        MethodRec *m = findMethod(gp);
        if (m && strcmp(m->name, "getProperty")) finding("methodid", "JNI's jmethodID of getProperty is %s here", m->name);
        else if (!m) finding("methodid", "JNI's jmethodID of System.getProperty was in no CLASS_LOAD");
        CALL(RawMonitorExit)(gLock);
        CALL(EnableGC)();
    }
    if (env->ExceptionCheck()) env->ExceptionClear();
    jclass c = *optNative ? env->FindClass(optNative) : 0;
    if (!c) { env->ExceptionClear(); snprintf(gJniText, sizeof gJniText, "FindClass(%s) failed", optNative); }
    else {
        JNINativeMethod nm[2];
        nm[0].name = (char *)"vendorPing"; nm[0].signature = (char *)"(I)I"; nm[0].fnPtr = (void *)nativePing;
        nm[1].name = (char *)"vendorAbout"; nm[1].signature = (char *)"(Ljava/lang/Object;Z)I"; nm[1].fnPtr = (void *)nativeAbout;
        jint r = env->RegisterNatives(c, nm, 2);
        if (r) env->ExceptionClear();
        jmethodID hello = env->GetStaticMethodID(c, "vendorHello", "(I)I");
        jint v = -1;
        if (hello) v = env->CallStaticIntMethod(c, hello, (jint)20);
        if (env->ExceptionCheck()) { env->ExceptionDescribe(); env->ExceptionClear(); }
        snprintf(gJniText, sizeof gJniText, "FindClass(%s) ok, RegisterNatives %d, vendorHello(20) = %d", optNative, (int)r, (int)v);
        if (hello && v != 42) finding("jni", "vendorHello(20) gave %d", (int)v);
    }
    jint rc = CALL(CreateSystemThread)((char *)"vendor2-control", JVMPI_NORMAL_PRIORITY, control);
    if (rc != JNI_OK) finding("systhread", "CreateSystemThread: %d", (int)rc);
}

/* --------------------------------------------------------------- report */
static const char *evName(int t)
{
    switch (t) {
    case JVMPI_EVENT_CLASS_LOAD: return "CLASS_LOAD"; case JVMPI_EVENT_CLASS_LOAD_HOOK: return "CLASS_LOAD_HOOK";
    case JVMPI_EVENT_CLASS_UNLOAD: return "CLASS_UNLOAD"; case JVMPI_EVENT_THREAD_START: return "THREAD_START";
    case JVMPI_EVENT_THREAD_END: return "THREAD_END"; case JVMPI_EVENT_JVM_INIT_DONE: return "JVM_INIT_DONE";
    case JVMPI_EVENT_JVM_SHUT_DOWN: return "JVM_SHUT_DOWN"; case JVMPI_EVENT_GC_START: return "GC_START";
    case JVMPI_EVENT_GC_FINISH: return "GC_FINISH"; case JVMPI_EVENT_OBJECT_MOVE: return "OBJECT_MOVE";
    case JVMPI_EVENT_MONITOR_WAIT: return "MONITOR_WAIT"; case JVMPI_EVENT_DATA_DUMP_REQUEST: return "DATA_DUMP_REQUEST";
    }
    return "?";
}
static const char *stName(int s, char *b)
{
    int base = s & ~(JVMPI_THREAD_SUSPENDED | JVMPI_THREAD_INTERRUPTED);
    sprintf(b, "%s%s%s", base == JVMPI_THREAD_RUNNABLE ? "R" : base == JVMPI_THREAD_MONITOR_WAIT ? "MW" :
            base == JVMPI_THREAD_CONDVAR_WAIT ? "CW" : "?", s & JVMPI_THREAD_SUSPENDED ? "+S" : "", s & JVMPI_THREAD_INTERRUPTED ? "+I" : "");
    return b;
}
static void report(const char *why)
{
    FILE *f; int i; long live = 0, unmatched = 0, unmatchedOff = 0; ThreadRec *t; ClassRec *c; MethodRec *m; ClassFile *cf; char b[32];
    CALL(RawMonitorEnter)(gLock);
    if (gReportDone || !(f = fopen(optReport, "w"))) { CALL(RawMonitorExit)(gLock); return; }
    int keep = nFinds, keepN = nCats; memcpy(keepCats, cats, sizeof cats);
    fprintf(f, "VENDOR2 REPORT (%s)  Java %s  JVMPI version %x  uptime %lld ms\n", why, gVersionText, (unsigned)gPI->version, (long long)(nowMs() - gT0));
    fprintf(f, "JNI at INIT_DONE: %s\nnative calls: %ld, last: %s\n\nEVENTS\n", gJniText, nPings, gPingText);
    for (i = 0; i < MAXEV; i++) if (evCount[i]) fprintf(f, "  %-20s %8ld  requested %ld  after shut down %ld\n", evName(i), evCount[i], evReq[i], evAfterShut[i]);
    for (i = 0; i < HASH; i++) {
        for (c = clsTab[i]; c; c = c->next) {
            live++;
            if (c->noHook && !c->requested && c->name[0] != '[')
                finding("nohook", "CLASS_LOAD of %s (%d methods) without CLASS_LOAD_HOOK", c->name, c->nMethods);
        }
        for (cf = pendTab[i]; cf; cf = cf->next) {
            unmatched++;
            if (cf->clOff) unmatchedOff++;
            else finding("noload", "CLASS_LOAD_HOOK of %s (%d bytes) without CLASS_LOAD", cf->name, cf->len);
        }
    }
    fprintf(f, "\nCLASSES\n  hooks %ld (unreadable %ld), constant pool entries %ld, methods %ld\n  patched classes %ld (%ld strings)\n", nHook, nHookBad, totCp, totMethods, nPatched, nPatchStrings);
    fprintf(f, "  CLASS_LOAD %ld = matched with a hook %ld + without hook %ld; requested %ld\n  of those without: hook came later %ld, arrays %ld\n  hooks without CLASS_LOAD %ld (%ld of them while CLASS_LOAD was off)\n", nLoad, nLoadMatched, nLoadNoHook, nLoadReq, nLateHook, nArrays, unmatched, unmatchedOff);
    fprintf(f, "  unloaded %ld (unknown %ld), live %ld, ids moved %ld, names with '/' %ld with '.' %ld\n", nUnload, nUnloadUnk, live, nMoves, nSlash, nDot);
    fprintf(f, "  patched:");
    for (i = 0; i < HASH; i++) for (c = clsTab[i]; c; c = c->next) if (c->patched) fprintf(f, " %s(%d%s)", c->name, c->patched, c->requested ? ",requested" : "");
    fprintf(f, "\n\nSWITCHING\n  ticks %ld, class requests %ld, thread requests %ld, failed %ld, in-flight events after switching off %ld/%ld\n",
            gTick, nReqClass, nReqThread, nReqFail, nLoadWhileOff, nThreadStartWhileOff);
    fprintf(f, "\nGC  start %ld finish %ld\n\nSUSPENSION rounds %ld, traces %ld (negative %ld)\n\nTHREADS\n", nGcStart, nGcFinish, nSuspRounds, nTraces, nNegTraces);
    for (t = threads; t; t = t->next) {
        fprintf(f, "  #%d \"%s\" group \"%s\" parent \"%s\"%s%s\n     samples %ld: R %ld MW %ld CW %ld other %ld; +S %ld +I %ld; cpu %.3f..%.3f ms (%ld)\n",
                t->startSeq, t->name, t->group, t->parent, t->requested ? " requested" : "", t->ended ? " ended" : "", t->samples, t->nRun, t->nMon, t->nCond, t->nOther, t->nSusp, t->nIntr,
                (double)t->cpuFirst / 1e6, (double)t->cpuLast / 1e6, t->cpuCalls);
        fprintf(f, "     suspended %ld failed %ld resume failed %ld, bit missing %ld bit left %ld, has run %ld not %ld, frames %ld\n     history:",
                t->suspended, t->suspFailed, t->resFailed, t->bitMissing, t->bitLeft, t->ran, t->notRan, t->frames);
        for (i = 0; i < t->nHist; i++) fprintf(f, " %s*%ld", stName(t->histStatus[i], b), t->histLen[i]);
        fprintf(f, t->histLost ? " (+%ld lost)\n" : "\n", t->histLost);
        if (t->nOther) finding("status", "\"%s\": %ld statuses of unknown value", t->name, t->nOther);
        if (t->bitMissing) finding("suspend", "\"%s\": suspended, but status without JVMPI_THREAD_SUSPENDED %ld times of %ld", t->name, t->bitMissing, t->suspended);
        if (t->bitLeft) finding("suspend", "\"%s\": resumed, but JVMPI_THREAD_SUSPENDED still set %ld times", t->name, t->bitLeft);
        if (t->suspFailed || t->resFailed) finding("suspend", "\"%s\": SuspendThreadList failed %ld, ResumeThreadList %ld times", t->name, t->suspFailed, t->resFailed);
        if (t->nSusp) finding("suspend", "\"%s\": SUSPENDED bit in %ld samples outside of suspension", t->name, t->nSusp);
    }
    fprintf(f, "\nHOT METHODS (top of stack)\n");
    for (i = 0; i < HASH; i++) for (m = mthTab[i]; m; m = m->next) if (m->hits > 2) fprintf(f, "  %5ld %s.%s%s\n", m->hits, m->cls->name, m->name, m->sig);
    if (nGcStart != nGcFinish) finding("gc", "%ld GC_START, %ld GC_FINISH", nGcStart, nGcFinish);
    fprintf(f, "\nFINDINGS (%d categories)\n", nCats);
    for (i = 0; i < nCats; i++) fprintf(f, "  [%s] %ld\n", cats[i].cat, cats[i].n);
    for (i = 0; i < nFinds; i++) fprintf(f, "  %-12s %s\n", finds[i].cat, finds[i].text);
    if (!nFinds) fprintf(f, "  none - everything consistent\n");
    fclose(f);
    nFinds = keep; nCats = keepN; memcpy(cats, keepCats, sizeof cats);     /* a later report says them again */
    gReportDone = strcmp(why, "JVM_SHUT_DOWN") == 0; gWritten = 1;
    CALL(RawMonitorExit)(gLock);
}
static void onShutDown()
{
    CALL(RawMonitorEnter)(gCtl);
    if (!gStop && gCtlRunning) {        /* let the control thread finish its tick */
        gStop = 1; CALL(RawMonitorNotifyAll)(gCtl);
        jlong from = nowMs(), busy = busyMs();
        while (gCtlRunning && nowMs() - from < lateMs(busy)) CALL(RawMonitorWait)(gCtl, 50);
        if (gCtlRunning) finding("systhread", "control thread did not stop within %d ms of JVM_SHUT_DOWN", (int)(nowMs() - from));
    }
    CALL(RawMonitorExit)(gCtl);
    report("JVM_SHUT_DOWN");
    gShutDown = 1;
}
static void lastResort()
{ if (!gReportDone) fprintf(stderr, "vendor2: process ends and JVM_SHUT_DOWN never came, %s report\n", gWritten ? "preliminary" : "no"); }

/* --------------------------------------------------------------- events */
static void notifyEvent(JVMPI_Event *ev)
{
#ifdef TRACE
    { int t = ev->event_type & ~JVMPI_REQUESTED_EVENT;
      if (t == JVMPI_EVENT_CLASS_LOAD) fprintf(stderr, "T %p LOAD %s %p\n", (void*)ev->env_id, ev->u.class_load.class_name, (void*)ev->u.class_load.class_id);
      else if (t == JVMPI_EVENT_CLASS_LOAD_HOOK) { Pool cp; ClassFile *c = parse(ev->u.class_load_hook.class_data, ev->u.class_load_hook.class_data_len, &cp); fprintf(stderr, "T %p HOOK %s\n", (void*)ev->env_id, c ? c->name : "?"); }
      else fprintf(stderr, "T %p %lx EVENT %d%s %s\n", (void*)ev->env_id, (unsigned long)pthread_self(), t, t == ev->event_type ? "" : "R", t == JVMPI_EVENT_THREAD_START ? ev->u.thread_start.thread_name : ""); }
#endif
    int requested = (ev->event_type & JVMPI_REQUESTED_EVENT) != 0;
    int type = ev->event_type & ~JVMPI_REQUESTED_EVENT;
    if (type >= 0 && type < MAXEV) {    /* counters: a lost update does not matter */
        evCount[type]++;
        if (requested) evReq[type]++;
        if (gShutDown) evAfterShut[type]++;
    }
    switch (type) {
    case JVMPI_EVENT_CLASS_LOAD_HOOK: onHook(ev); break;
    case JVMPI_EVENT_CLASS_LOAD:   onClassLoad(ev, requested); break;
    case JVMPI_EVENT_CLASS_UNLOAD: onClassUnload(ev); break;
    case JVMPI_EVENT_THREAD_START: onThreadStart(ev, requested); break;
    case JVMPI_EVENT_THREAD_END:   onThreadEnd(ev); break;
    case JVMPI_EVENT_MONITOR_WAIT: onMonitorWait(ev); break;
    case JVMPI_EVENT_GC_START:     CALL(RawMonitorEnter)(gLock); nGcStart++; break;
    case JVMPI_EVENT_OBJECT_MOVE:  onObjectMove(ev); break;
    case JVMPI_EVENT_GC_FINISH:    onGcFinish(); break;
    case JVMPI_EVENT_JVM_INIT_DONE: onInitDone(ev); break;
    case JVMPI_EVENT_DATA_DUMP_REQUEST: report("data dump request"); break;
    case JVMPI_EVENT_JVM_SHUT_DOWN: onShutDown(); break;
    default: finding("event", "event %d which I never asked for", type);
    }
}

static int options(char *s)
{
    char buf[2048], *p, *v;
    if (!s) return 1;
    strncpy(buf, s, sizeof buf - 1); buf[sizeof buf - 1] = 0;
    for (p = strtok(buf, ","); p; p = strtok(NULL, ",")) {
        if (!(v = strchr(p, '='))) return 0;
        *v++ = 0;
        if (!strcmp(p, "report")) snprintf(optReport, sizeof optReport, "%s", v);
        else if (!strcmp(p, "instrument")) snprintf(optPrefix, sizeof optPrefix, "%s", v);
        else if (!strcmp(p, "native")) snprintf(optNative, sizeof optNative, "%s", v);
        else if (!strcmp(p, "exit")) optExit = atoi(v);
        else if (!strcmp(p, "after")) optAfter = atoi(v);
        else if (!strcmp(p, "tick")) optTick = atoi(v);
        else return 0;
    }
    for (p = optPrefix; *p; p++) if (*p == '.') *p = '/';
    if (!*optNative) strcpy(optNative, optPrefix);
    return 1;
}
extern "C" JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *jvm, char *opts, void *reserved)
{
    static const struct { jint ev; int must; } want[] = {
        { JVMPI_EVENT_CLASS_LOAD_HOOK, 1 }, { JVMPI_EVENT_CLASS_LOAD, 1 }, { JVMPI_EVENT_CLASS_UNLOAD, 1 },
        { JVMPI_EVENT_THREAD_START, 1 }, { JVMPI_EVENT_THREAD_END, 1 }, { JVMPI_EVENT_JVM_INIT_DONE, 1 },
        { JVMPI_EVENT_JVM_SHUT_DOWN, 1 }, { JVMPI_EVENT_DATA_DUMP_REQUEST, 0 },
        { JVMPI_EVENT_GC_START, 1 }, { JVMPI_EVENT_GC_FINISH, 1 }, { JVMPI_EVENT_OBJECT_MOVE, 0 } };
    unsigned i;
    (void)reserved;
    gVM = jvm; gT0 = nowMs();
    if (!options(opts)) { fprintf(stderr, "vendor2: bad options \"%s\"\n", opts); return JNI_ERR; }
    if (jvm->GetEnv((void **)&gPI, JVMPI_VERSION_1_2) == JNI_OK) gHave12 = 1;
    else if (jvm->GetEnv((void **)&gPI, JVMPI_VERSION_1_1) != JNI_OK && jvm->GetEnv((void **)&gPI, JVMPI_VERSION_1) != JNI_OK) {
        fprintf(stderr, "vendor2: no JVMPI in this VM\n"); return JNI_ERR;
    }
    gVersion0 = gPI->version;
    gLock = CALL(RawMonitorCreate)((char *)"_vendor2.tables");
    gCtl  = CALL(RawMonitorCreate)((char *)"_vendor2.control");
    gPI->NotifyEvent = notifyEvent;
    for (i = 0; i < sizeof want / sizeof *want; i++) {
        jint rc = CALL(EnableEvent)(want[i].ev, NULL);
        if (rc != JVMPI_SUCCESS) finding("enable", "EnableEvent(%s) = %d", evName(want[i].ev), (int)rc);
        if (rc != JVMPI_SUCCESS && want[i].must) { fprintf(stderr, "vendor2: event %s not available\n", evName(want[i].ev)); return JNI_ERR; }
    }
    atexit(lastResort);
    return JNI_OK;
}

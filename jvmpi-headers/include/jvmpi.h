/*
 * jvmpi.h - the Java Virtual Machine Profiler Interface, for compiling agents.
 *
 * Written anew for xrun from the published interface (the 1.2 and 1.4.2
 * specifications) and from the binary layout that virtual machines and agents
 * of the period share. It compiles as C89 and as C++.
 *
 * Strings are modified UTF-8 with a terminating NUL. They are `char *', not
 * `const char *', because agents assign them to `char *'; do not write to them.
 * Everything an event points to is the VM's and dies when NotifyEvent returns.
 *
 * The functions of JVMPI_Interface and NotifyEvent have the plain C calling
 * convention; only JVM_OnLoad and JVM_OnUnload are JNICALL.
 *
 * Define JVMPI_LOOKUPSWITCH_IS_DEFAULT before inclusion if the agent reads
 * u.instruction.u.lookupswitch_info.is_default; see there.
 */

#ifndef _JAVASOFT_JVMPI_H_
#define _JAVASOFT_JVMPI_H_

#include <jni.h>

/* ---- Versions, to be asked for with GetEnv -------------------------------- */

#define JVMPI_VERSION_1   ((jint)0x10000001) /* JDK 1.2 */
#define JVMPI_VERSION_1_1 ((jint)0x10000002) /* adds jobjectID2jobject and its inverse */
#define JVMPI_VERSION_1_2 ((jint)0x10000003) /* adds SuspendThreadList and ResumeThreadList */

/* ---- Results of EnableEvent, DisableEvent and RequestEvent ---------------- */

#define JVMPI_SUCCESS       ((jint)0)
#define JVMPI_NOT_AVAILABLE ((jint)1) /* no such event, or not in this way */
#define JVMPI_FAIL          ((jint)-1)

/* ---- Events --------------------------------------------------------------- */

/*
 * The comment of an event names the member of JVMPI_Event.u that it fills, or
 * a dash if it has no contents of its own.
 */

#define JVMPI_EVENT_METHOD_ENTRY                  ((jint)1)  /* method: a method begins */
#define JVMPI_EVENT_METHOD_ENTRY2                 ((jint)2)  /* method_entry2: likewise, with the receiver */
#define JVMPI_EVENT_METHOD_EXIT                   ((jint)3)  /* method: a method returns or throws */

#define JVMPI_EVENT_OBJECT_ALLOC                  ((jint)4)  /* obj_alloc: an object exists; defines its id */
#define JVMPI_EVENT_OBJECT_FREE                   ((jint)5)  /* obj_free: an object died */
#define JVMPI_EVENT_OBJECT_MOVE                   ((jint)6)  /* obj_move: an object changed its id */

#define JVMPI_EVENT_COMPILED_METHOD_LOAD          ((jint)7)  /* compiled_method_load: machine code was installed */
#define JVMPI_EVENT_COMPILED_METHOD_UNLOAD        ((jint)8)  /* compiled_method_unload: machine code was dropped */

#define JVMPI_EVENT_INSTRUCTION_START             ((jint)9)  /* instruction: the interpreter begins a bytecode */

#define JVMPI_EVENT_THREAD_START                  ((jint)33) /* thread_start: a thread begins; defines its JNIEnv */
#define JVMPI_EVENT_THREAD_END                    ((jint)34) /* -: the thread of env_id ends */

#define JVMPI_EVENT_CLASS_LOAD_HOOK               ((jint)35) /* class_load_hook: a class file may be replaced */

#define JVMPI_EVENT_HEAP_DUMP                     ((jint)37) /* heap_dump: only on request */

#define JVMPI_EVENT_JNI_GLOBALREF_ALLOC           ((jint)38) /* jni_globalref_alloc: a global reference was made */
#define JVMPI_EVENT_JNI_GLOBALREF_FREE            ((jint)39) /* jni_globalref_free: a global reference was deleted */
#define JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC      ((jint)40) /* jni_globalref_alloc: a weak one was made */
#define JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE       ((jint)41) /* jni_globalref_free: a weak one was deleted */

#define JVMPI_EVENT_CLASS_LOAD                    ((jint)42) /* class_load: defines class and method ids */
#define JVMPI_EVENT_CLASS_UNLOAD                  ((jint)43) /* class_unload: they are void from here on */

#define JVMPI_EVENT_DATA_DUMP_REQUEST             ((jint)44) /* -: the user asks for a dump (Ctrl-\, Ctrl-Break) */
#define JVMPI_EVENT_DATA_RESET_REQUEST            ((jint)45) /* -: the user asks to begin afresh */

#define JVMPI_EVENT_JVM_INIT_DONE                 ((jint)46) /* -: the VM is up; JNI and new threads allowed */
#define JVMPI_EVENT_JVM_SHUT_DOWN                 ((jint)47) /* -: the VM ends; the last event */

#define JVMPI_EVENT_ARENA_NEW                     ((jint)48) /* new_arena: a part of the heap comes into use */
#define JVMPI_EVENT_ARENA_DELETE                  ((jint)49) /* delete_arena: it goes, with all objects left in it */

#define JVMPI_EVENT_OBJECT_DUMP                   ((jint)50) /* object_dump: only on request */

#define JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER   ((jint)51) /* raw_monitor: the thread has to wait for it */
#define JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTERED ((jint)52) /* raw_monitor: the thread got it after waiting */
#define JVMPI_EVENT_RAW_MONITOR_CONTENDED_EXIT    ((jint)53) /* raw_monitor: it was left while others waited */
#define JVMPI_EVENT_MONITOR_CONTENDED_ENTER       ((jint)54) /* monitor: as 51, for an object's monitor */
#define JVMPI_EVENT_MONITOR_CONTENDED_ENTERED     ((jint)55) /* monitor: as 52 */
#define JVMPI_EVENT_MONITOR_CONTENDED_EXIT        ((jint)56) /* monitor: as 53 */
#define JVMPI_EVENT_MONITOR_WAIT                  ((jint)57) /* monitor_wait: Object.wait or Thread.sleep begins */
#define JVMPI_EVENT_MONITOR_WAITED                ((jint)58) /* monitor_wait: it ended */
#define JVMPI_EVENT_MONITOR_DUMP                  ((jint)59) /* monitor_dump: only on request */

#define JVMPI_EVENT_GC_START                      ((jint)60) /* -: a collection begins; take your locks here */
#define JVMPI_EVENT_GC_FINISH                     ((jint)61) /* gc_info: it ended; same thread as GC_START */

#define JVMPI_MAX_EVENT_TYPE_VAL                  ((jint)61)

/* Set in event_type when the event answers a RequestEvent. */
#define JVMPI_REQUESTED_EVENT                     ((jint)0x10000000)

/* Older names for some of the above. */
#define JVMPI_EVENT_OBJ_ALLOC                     JVMPI_EVENT_OBJECT_ALLOC
#define JVMPI_EVENT_OBJ_FREE                      JVMPI_EVENT_OBJECT_FREE
#define JVMPI_EVENT_OBJ_MOVE                      JVMPI_EVENT_OBJECT_MOVE
#define JVMPI_EVENT_LOAD_COMPILED_METHOD          JVMPI_EVENT_COMPILED_METHOD_LOAD
#define JVMPI_EVENT_UNLOAD_COMPILED_METHOD        JVMPI_EVENT_COMPILED_METHOD_UNLOAD
#define JVMPI_EVENT_DUMP_DATA_REQUEST             JVMPI_EVENT_DATA_DUMP_REQUEST
#define JVMPI_EVENT_RESET_DATA_REQUEST            JVMPI_EVENT_DATA_RESET_REQUEST
#define JVMPI_EVENT_NEW_ARENA                     JVMPI_EVENT_ARENA_NEW
#define JVMPI_EVENT_DELETE_ARENA                  JVMPI_EVENT_ARENA_DELETE

/* ---- Kinds of object: obj_alloc.is_array and the type byte of dumps ------- */

#define JVMPI_NORMAL_OBJECT ((jint)0)
#define JVMPI_CLASS         ((jint)2) /* an array of objects */
#define JVMPI_BOOLEAN       ((jint)4)
#define JVMPI_CHAR          ((jint)5)
#define JVMPI_FLOAT         ((jint)6)
#define JVMPI_DOUBLE        ((jint)7)
#define JVMPI_BYTE          ((jint)8)
#define JVMPI_SHORT         ((jint)9)
#define JVMPI_INT           ((jint)10)
#define JVMPI_LONG          ((jint)11)

/* ---- Thread status: a state, possibly OR-ed with the two bits ------------- */

#define JVMPI_THREAD_RUNNABLE     ((jint)1)
#define JVMPI_THREAD_MONITOR_WAIT ((jint)2) /* wants to enter a monitor */
#define JVMPI_THREAD_CONDVAR_WAIT ((jint)3) /* waits to be notified, or sleeps */

#define JVMPI_THREAD_SUSPENDED    ((jint)0x8000)
#define JVMPI_THREAD_INTERRUPTED  ((jint)0x4000)

/* ---- Priorities for CreateSystemThread ------------------------------------ */

#define JVMPI_MINIMUM_PRIORITY ((jint)1)
#define JVMPI_NORMAL_PRIORITY  ((jint)5)
#define JVMPI_MAXIMUM_PRIORITY ((jint)10)

/* ---- Heap dump levels ----------------------------------------------------- */

#define JVMPI_DUMP_LEVEL_0 ((jint)0) /* kinds and ids only */
#define JVMPI_DUMP_LEVEL_1 ((jint)1) /* roots and references, no primitive values */
#define JVMPI_DUMP_LEVEL_2 ((jint)2) /* everything; the default */

/* ---- Record tags of a monitor dump ---------------------------------------- */

#define JVMPI_MONITOR_JAVA ((jint)0x01)
#define JVMPI_MONITOR_RAW  ((jint)0x02)

/* ---- Record tags of heap dumps (levels 1 and 2) and object dumps ---------- */

#define JVMPI_GC_ROOT_UNKNOWN      ((jint)0xff)
#define JVMPI_GC_ROOT_JNI_GLOBAL   ((jint)0x01)
#define JVMPI_GC_ROOT_JNI_LOCAL    ((jint)0x02)
#define JVMPI_GC_ROOT_JAVA_FRAME   ((jint)0x03)
#define JVMPI_GC_ROOT_NATIVE_STACK ((jint)0x04)
#define JVMPI_GC_ROOT_STICKY_CLASS ((jint)0x05)
#define JVMPI_GC_ROOT_THREAD_BLOCK ((jint)0x06)
#define JVMPI_GC_ROOT_MONITOR_USED ((jint)0x07)
#define JVMPI_GC_ROOT_THREAD_OBJ   ((jint)0x08) /* in profiler output only, never in a VM's dump */

#define JVMPI_GC_CLASS_DUMP        ((jint)0x20)
#define JVMPI_GC_INSTANCE_DUMP     ((jint)0x21)
#define JVMPI_GC_OBJ_ARRAY_DUMP    ((jint)0x22)
#define JVMPI_GC_PRIM_ARRAY_DUMP   ((jint)0x23)

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Types ---------------------------------------------------------------- */

/* Names an object (a class: its java.lang.Class object); not a JNI reference. */
struct _jobjectID;
typedef struct _jobjectID *jobjectID;

/* A monitor of the agent's own. */
struct _JVMPI_RawMonitor;
typedef struct _JVMPI_RawMonitor *JVMPI_RawMonitor;

/* One frame of a stack trace. */
typedef struct {
    jint      lineno;           /* > 0: source line; -1 unknown; -2 compiled; -3 native */
    jmethodID method_id;
} JVMPI_CallFrame;

/* A stack trace, callee first. */
typedef struct {
    JNIEnv          *env_id;     /* the thread */
    jint             num_frames; /* frames written; 0 if none could be had */
    JVMPI_CallFrame *frames;
} JVMPI_CallTrace;

/* A method, as its class is loaded. */
typedef struct {
    char     *method_name;
    char     *method_signature; /* descriptor, e.g. (ILjava/lang/String;)V */
    jint      start_lineno;     /* -1 if native, abstract or without line numbers */
    jint      end_lineno;       /* likewise */
    jmethodID method_id;
} JVMPI_Method;

/* A field, as its class is loaded. */
typedef struct {
    char *field_name;
    char *field_signature; /* descriptor, e.g. [I */
} JVMPI_Field;

/* From an offset in machine code to a source line. */
typedef struct {
    jint offset; /* from the start of the method's code */
    jint lineno;
} JVMPI_Lineno;

/* Second argument of RequestEvent(JVMPI_EVENT_HEAP_DUMP, ...); NULL: level 2. */
typedef struct {
    jint heap_dump_level; /* JVMPI_DUMP_LEVEL_... */
} JVMPI_HeapDumpArg;

/* What NotifyEvent is given. */
typedef struct {
    jint    event_type; /* JVMPI_EVENT_..., perhaps with JVMPI_REQUESTED_EVENT */
    JNIEnv *env_id;     /* the thread the event is sent on */

    union {
        /* CLASS_LOAD */
        struct {
            char         *class_name;
            char         *source_name;         /* source file */
            jint          num_interfaces;      /* those the class itself names */
            jint          num_methods;
            JVMPI_Method *methods;             /* declared ones, <init> and <clinit> too */
            jint          num_static_fields;
            JVMPI_Field  *statics;             /* declared ones, in the order of dumps */
            jint          num_instance_fields;
            JVMPI_Field  *instances;           /* declared ones, in the order of dumps */
            jobjectID     class_id;
        } class_load;

        /* CLASS_UNLOAD */
        struct {
            jobjectID class_id;
        } class_unload;

        /* CLASS_LOAD_HOOK: the agent sets both new_... fields, at least to the old values */
        struct {
            unsigned char *class_data;
            jint           class_data_len;
            unsigned char *new_class_data;     /* if replaced: memory from malloc_f, freed by the VM */
            jint           new_class_data_len;
            void *       (*malloc_f)(unsigned int);
        } class_load_hook;

        /* OBJECT_ALLOC */
        struct {
            jint      arena_id;
            jobjectID class_id; /* its class; of an object array, the elements' (may be NULL) */
            jint      is_array; /* JVMPI_NORMAL_OBJECT, JVMPI_CLASS, JVMPI_BOOLEAN, ... */
            jint      size;     /* bytes, header included */
            jobjectID obj_id;
        } obj_alloc;

        /* OBJECT_FREE */
        struct {
            jobjectID obj_id;
        } obj_free;

        /* OBJECT_MOVE */
        struct {
            jint      arena_id;
            jobjectID obj_id;
            jint      new_arena_id;
            jobjectID new_obj_id;
        } obj_move;

        /* ARENA_NEW */
        struct {
            jint  arena_id;
            char *arena_name;
        } new_arena;

        /* ARENA_DELETE */
        struct {
            jint arena_id;
        } delete_arena;

        /* THREAD_START */
        struct {
            char     *thread_name;
            char     *group_name;
            char     *parent_name;   /* of the group's parent; may be NULL */
            jobjectID thread_id;     /* the java.lang.Thread */
            JNIEnv   *thread_env_id; /* the thread's own, even if another thread sends */
        } thread_start;

        /* HEAP_DUMP */
        struct {
            int              dump_level;
            char            *begin;
            char            *end;        /* one past the last byte */
            jint             num_traces; /* 0 at level 0 */
            JVMPI_CallTrace *traces;     /* the stacks that roots refer to */
        } heap_dump;

        /* JNI_GLOBALREF_ALLOC and JNI_WEAK_GLOBALREF_ALLOC */
        struct {
            jobjectID obj_id;
            jobject   ref_id;
        } jni_globalref_alloc;

        /* JNI_GLOBALREF_FREE and JNI_WEAK_GLOBALREF_FREE */
        struct {
            jobject ref_id;
        } jni_globalref_free;

        /* METHOD_ENTRY and METHOD_EXIT */
        struct {
            jmethodID method_id;
        } method;

        /* METHOD_ENTRY2 */
        struct {
            jmethodID method_id;
            jobjectID obj_id; /* receiver; NULL if static */
        } method_entry2;

        /* COMPILED_METHOD_LOAD */
        struct {
            jmethodID     method_id;
            void         *code_addr;
            jint          code_size;         /* bytes */
            jint          lineno_table_size; /* entries; may be 0 */
            JVMPI_Lineno *lineno_table;
        } compiled_method_load;

        /* COMPILED_METHOD_UNLOAD */
        struct {
            jmethodID method_id;
        } compiled_method_unload;

        /* INSTRUCTION_START: the bytecode has not run yet, but its branch is known */
        struct {
            jmethodID method_id;
            jint      offset; /* of the instruction in the bytecode */
            union {
                struct {
                    jboolean is_true; /* the branch is taken */
                } if_info;
                struct {
                    jint key;
                    jint low;
                    jint hi;
                } tableswitch_info;
                /*
                 * The header that was shipped and the text of the specification
                 * differ in the second field. As shipped, the default branch is
                 * taken if chosen_pair_index == pairs_total.
                 */
                struct {
                    jint     chosen_pair_index; /* from 0 */
#ifdef JVMPI_LOOKUPSWITCH_IS_DEFAULT
                    jboolean is_default;        /* as specified */
#else
                    jint     pairs_total;       /* as shipped */
#endif
                } lookupswitch_info;
            } u;
        } instruction;

        /* MONITOR_DUMP */
        struct {
            char            *begin;
            char            *end;            /* one past the last byte */
            jint             num_traces;
            JVMPI_CallTrace *traces;         /* of all threads */
            jint            *threads_status; /* parallel to traces */
        } monitor_dump;

        /* RAW_MONITOR_CONTENDED_... */
        struct {
            char            *name; /* one that begins with an underscore sends no events */
            JVMPI_RawMonitor id;
        } raw_monitor;

        /* MONITOR_CONTENDED_... */
        struct {
            jobjectID object;
        } monitor;

        /* MONITOR_WAIT and MONITOR_WAITED */
        struct {
            jobjectID object;  /* NULL: Thread.sleep */
            jlong     timeout; /* ms; WAIT: 0 is for ever; WAITED: time spent */
        } monitor_wait;

        /* GC_FINISH */
        struct {
            jlong used_objects;
            jlong used_object_space;  /* bytes */
            jlong total_object_space; /* bytes */
        } gc_info;

        /* OBJECT_DUMP */
        struct {
            jint  data_len;
            char *data;
        } object_dump;
    } u;
} JVMPI_Event;

/* What GetEnv(vm, &p, JVMPI_VERSION_...) gives. */
typedef struct {
    jint version; /* compatible with the one asked for, not always the same */

    /* Set by the agent before JVM_OnLoad returns; may run on many threads at once. */
    void (*NotifyEvent)(JVMPI_Event *event);

    /* All events are off at first. The second argument is unused. */
    jint (*EnableEvent)(jint event_type, void *arg);
    jint (*DisableEvent)(jint event_type, void *arg);

    /* Sends the event on this thread before it returns, enabled or not. */
    jint (*RequestEvent)(jint event_type, void *arg);

    /* In: env_id, and frames with room for depth; out: num_frames and frames. */
    void (*GetCallTrace)(JVMPI_CallTrace *trace, jint depth);

    /* Ends the VM with this code. */
    void (*ProfilerExit)(jint err_code);

    /* Recursive monitors. The name is copied. */
    JVMPI_RawMonitor (*RawMonitorCreate)(char *lock_name);
    void (*RawMonitorEnter)(JVMPI_RawMonitor lock_id);
    void (*RawMonitorExit)(JVMPI_RawMonitor lock_id);
    void (*RawMonitorWait)(JVMPI_RawMonitor lock_id, jlong ms); /* 0: for ever */
    void (*RawMonitorNotifyAll)(JVMPI_RawMonitor lock_id);
    void (*RawMonitorDestroy)(JVMPI_RawMonitor lock_id);

    /* Nanoseconds used by this thread. */
    jlong (*GetCurrentThreadCpuTime)(void);

    /* With GC disabled until the last thread is resumed. */
    void (*SuspendThread)(JNIEnv *env);
    void (*ResumeThread)(JNIEnv *env);

    /* JVMPI_THREAD_... */
    jint (*GetThreadStatus)(JNIEnv *env);

    /* Did it run since it was last resumed? Ask after suspending it again. */
    jboolean (*ThreadHasRun)(JNIEnv *env);

    /* A daemon thread that runs f(NULL). JNI_OK or JNI_ERR. */
    jint (*CreateSystemThread)(char *name, jint priority, void (*f)(void *));

    /* One pointer per thread, NULL at first; any thread may use any thread's. */
    void (*SetThreadLocalStorage)(JNIEnv *env_id, void *ptr);
    void *(*GetThreadLocalStorage)(JNIEnv *env_id);

    /* Disabling nests. RunGC must not be called while disabled. */
    void (*DisableGC)(void);
    void (*EnableGC)(void);
    void (*RunGC)(void);

    /* With GC disabled. */
    jobjectID (*GetThreadObject)(JNIEnv *env);
    jobjectID (*GetMethodClass)(jmethodID mid);

    /* From JVMPI_VERSION_1_1 on, with GC disabled. */
    jobject (*jobjectID2jobject)(jobjectID jid); /* a local reference */
    jobjectID (*jobject2jobjectID)(jobject jobj);

    /* From JVMPI_VERSION_1_2 on. results[i]: 0 if the i-th thread was done. */
    void (*SuspendThreadList)(jint reqCount, JNIEnv **reqList, jint *results);
    void (*ResumeThreadList)(jint reqCount, JNIEnv **reqList, jint *results);
} JVMPI_Interface;

/* ---- What an agent exports ------------------------------------------------ */

/* options: the text after the colon of -Xrunagent:options, NULL without a colon. */
JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *jvm, char *options, void *reserved);

/* Optional; not in the specification, and not every VM called it. */
JNIEXPORT jint JNICALL JVM_OnUnload(JavaVM *jvm);

#ifdef __cplusplus
}
#endif

#endif /* !_JAVASOFT_JVMPI_H_ */

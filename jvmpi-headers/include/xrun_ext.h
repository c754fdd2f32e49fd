/*
 * xrun_ext.h - what xrun offers agents beside JVMPI.
 *
 * An agent asks for it as it does for JVMPI, in JVM_OnLoad or later:
 *
 *     XRun_Extension *xrun;
 *     if ((*vm)->GetEnv(vm, (void **)&xrun, XRUN_EXT_VERSION_1) == JNI_OK)
 *         xrun->set_option("alloc-interval", "512k");
 *
 * Every other host answers JNI_EVERSION, as to any version that it does not
 * know: the agent then does without, or says that it cannot do what it was
 * asked for. docs/extension.md has the options. Compiles as C89 and as C++.
 */

#ifndef _XRUN_EXT_H_
#define _XRUN_EXT_H_

#include <jvmpi.h>

/* The first digit of a version names its family of interfaces; 5 is nobody else's. */
#define XRUN_EXT_VERSION_1 ((jint)0x58520001)

/* What get_activity answers. */
#define XRUN_UNKNOWN ((jint)0)
#define XRUN_RESTS ((jint)1)
#define XRUN_RUNS_JAVA ((jint)2)

/*
 * A thread was parked for so many nanoseconds. blocker_class is the class of what
 * the JDK calls its blocker (a lock's Sync, a Condition, whatever the caller gave),
 * NULL if there is none.
 */
typedef void (*XRun_ParkHandler)(JNIEnv *env, jobjectID blocker_class, jlong nanos);

/* The results are JVMPI's: 0 done, 1 JVMPI_NOT_AVAILABLE, -1 JVMPI_FAIL. */
typedef struct {
    jint size;    /* of this structure in bytes; later versions only add to its end */
    jint version; /* XRUN_EXT_VERSION_1, or a later one that keeps all of it */

    /*
     * Sets an option of the host's, before the agent's first EnableEvent. A list
     * (include, exclude) grows. JVMPI_FAIL: no such option, or not such a value;
     * JVMPI_NOT_AVAILABLE: too late. Either is one line in the host's log, and
     * nothing has changed.
     */
    jint (*set_option)(const char *name, const char *value);

    /*
     * What an option is set to, with a terminating NUL, sizes in bytes: into
     * buffer, of length bytes. Returns how many it takes, the NUL included; if
     * that is more than length, nothing was written (so NULL and 0 ask how
     * long it is). JVMPI_FAIL: no such option.
     */
    jint (*get_option)(const char *name, char *buffer, jint length);

    /*
     * Whether the object of an OBJECT_ALLOC stands for others: 1 if the VM has
     * told of its allocation, all of them or, with alloc-interval, those that it
     * picks. 0 if the event defines it because something names it (a monitor, a
     * thread, a dump), it is older than the agent's wish, or is no live id.
     */
    jint (*is_sampled)(jobjectID object);

    /*
     * The VM's own dumper writes the heap into a new file, in the format that
     * HPROF's format=b is of: records, ids and serial numbers are the VM's, and
     * none of them JVMPI's. Nothing may be there yet; the folder should be the
     * caller's alone, since the VM may make more files beside it meanwhile. The
     * program stands still as long as that takes. In the live phase, on a thread
     * of the VM's. NULL asks whether there is such a dumper, from JVM_OnLoad on.
     * JVMPI_FAIL: it could not be written, which is one line in the host's log;
     * JVMPI_NOT_AVAILABLE: this VM has none, or what the agent does is recorded.
     */
    jint (*dump_heap)(const char *path);

    /*
     * A line for whoever attaches the agent or detaches it at this moment, in any
     * thread; lost if nobody does. What an agent says on stderr is in the program's,
     * which he may not see.
     */
    void (*tell)(const char *line);

    /*
     * The methods that have no METHOD_ENTRY and METHOD_EXIT any more because of
     * method-budget, by an index from 0 on, in the order in which they lost
     * them: the id under which CLASS_LOAD has announced it (its class may be
     * gone), and about how often it had been called by then. Either pointer may
     * be NULL. JVMPI_FAIL behind the last one. From JVM_OnLoad to JVM_SHUT_DOWN.
     */
    jint (*get_left_out)(jint index, jmethodID *method, jlong *calls);

    /*
     * From now on parked is called when a thread, a virtual one too, returns from a
     * park of java.util.concurrent.locks.LockSupport, on that thread and under the
     * rules of an event: its stack is as it was, and CLASS_LOAD of its blocker's class
     * has come. NULL: no more. JVMPI_NOT_AVAILABLE: what the agent does is recorded.
     * In JVM_OnLoad and later.
     */
    jint (*watch_parks)(XRun_ParkHandler parked);

    /*
     * Who is parked now, of those that watch_parks will tell of when they go on: calls
     * still for each, on the calling thread, with how long it has been parked by now. Its
     * stack is had by GetCallTrace; CLASS_LOAD of its blocker's class has come. It may go on
     * meanwhile, and is told of then as if it had not been listed. How many there were, or
     * JVMPI_FAIL. From JVM_INIT_DONE to JVM_SHUT_DOWN, in the handler of that too; on a thread
     * of the VM's that has suspended nobody.
     */
    jint (*list_parked)(XRun_ParkHandler still);

    /*
     * The kernel's number of a thread, by which its clock and its state can be read.
     * 0: it is not known, there is none (a virtual thread), or what the agent does is recorded.
     */
    jint (*get_kernel_thread)(JNIEnv *env);

    /*
     * Stacks of threads that run Java code, of each where it is, and none is stopped: all are
     * asked at once, by signals. Of each of count traces env_id and frames are set, as for
     * GetCallTrace, with room for depth frames; num_frames becomes their number, or -1 of a
     * thread whose stack is not had in this way: it runs no Java code, is a virtual thread or
     * carries one, has ended or does not answer in time. Such a one can be suspended for it, as ever.
     * JVMPI_NOT_AVAILABLE, and -1 everywhere: none is had here (no signal is free, the VM cannot,
     * what the agent does is recorded). The first call gives all methods ids where CLASS_LOAD, which
     * does that, is not enabled. In the live phase; on a thread
     * of the VM's that has suspended nobody and holds no locks that a handler of CLASS_LOAD wants.
     */
    jint (*get_running_traces)(jint count, JVMPI_CallTrace *traces, jint depth);

    /*
     * The virtual threads that carriers run at this moment, whoever lives beside them: writes
     * the JNIEnv of count of them at most, and returns how many there are. What is asked
     * of virtual threads right behind it (GetThreadStatus, SuspendThread, GetCallTrace) is
     * answered as of that moment, where the host takes stacks by signals; who has asked of another
     * thread within the last half millisecond gets the moment of that question. One may have ended
     * when that is asked, and the THREAD_START of one may be under way. 0 where virtual threads are
     * no threads. JVMPI_FAIL: not in the live phase, or what the agent does is recorded; then
     * each that lives is to be asked.
     */
    jint (*get_mounted)(jint count, JNIEnv **envs);

    /*
     * What each of count platform threads does at this moment, some 50 ns for each:
     * XRUN_RESTS if it waits for a monitor or in Object.wait, is parked or asleep, or the VM has
     * stopped it; such a thread has used its processor when it is next seen to do something else.
     * XRUN_RUNS_JAVA if it runs Java code or could, if it had a processor. XRUN_UNKNOWN: it is in
     * native code or in the VM's own, it is a virtual thread, unknown or one that has not met the
     * host itself (older than the agent), this VM does not show it, or what the agent does is
     * recorded. JVMPI_FAIL: there is no such array. In any thread of the live phase.
     */
    jint (*get_activities)(jint count, JNIEnv *const *envs, jint *activities);
} XRun_Extension;

#endif

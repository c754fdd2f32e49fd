/*
 * xrun_saw.h - by which a JVMTI agent says what it saw, so that `xrun compare` can hold
 * it against the agent of JVMPI that it is a port of.
 *
 * What JVMTI's events tell of is in a recording anyway (`xrun trace`). This is for what they
 * do not: hooks in rewritten bytecode, stacks of AsyncGetCallTrace, what the callbacks of a
 * walk over the heap count, and what a filter of the agent's own leaves out.
 *
 *     xrun_saw("methods entered", "Work.fib(I)I", 0);
 *     xrun_saw("objects born", "Work$Bar", size);
 *     xrun_saw("dumped objects", "Work$Bar[]", how_many);
 *     xrun_saw_stack(env, frames, methods);
 *
 * Nothing has to be linked and nothing happens without xrun: the functions are weak, the
 * macros of the same names look whether they are there. Under `xrun trace` they are filled
 * in when the agent asks GetEnv for its environment of JVMTI, which has to come first; in
 * another environment than Linux on 64 bits they stay empty. Compiles as C89 and as C++.
 */

#ifndef _XRUN_SAW_H_
#define _XRUN_SAW_H_

#include <jni.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * One more of this noun. The nouns are those of docs/compare.md, but for samples: "threads
 * started", "classes loaded", "methods entered", "objects born", "waits begun" and so on. From
 * the first call for a noun on, what is said stands in place of the agent's events of it:
 * so all of it has to be said. name is a thread's, a class's ("Work$Bar", "int[]"), a method's
 * ("Work.fib(I)I"), a thread's and a class's for monitors ("main at Work"); as in Java or as
 * in class files. amount is the bytes of an object born, how many objects of a class a dump
 * has, how deep a method is in itself then; otherwise 0.
 *
 * On any thread and in any phase, in every callback, where JNI is not allowed too; not in a
 * handler of a signal: a lock may be taken for a moment.
 */
extern void xrun_saw(const char *noun, const char *name, jlong amount) __attribute__((weak));

/*
 * A stack that was taken of the thread of this JNIEnv (NULL if that is unknown) at some moment,
 * the innermost frame first; 64 frames of it are kept. On any thread and in any phase, also in
 * a handler of a signal: no lock is taken, no memory asked for, no function of the VM's called.
 * The names of the methods are asked for within a second or so; what is unloaded by then has
 * none, and when 4096 stacks wait for that, further ones may be lost, which a warning says.
 */
extern void xrun_saw_stack(JNIEnv *env, jint frames, const jmethodID *methods) __attribute__((weak));

#ifdef __cplusplus
}
#endif

#define xrun_saw(noun, name, amount) (xrun_saw != NULL ? xrun_saw(noun, name, amount) : (void)0)
#define xrun_saw_stack(env, frames, methods) \
    (xrun_saw_stack != NULL ? xrun_saw_stack(env, frames, methods) : (void)0)

#endif

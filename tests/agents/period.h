/* What `period.c` and `period_cxx.cpp` share, for 32-bit x86 only. Compilers of 1999 to 2003 kept the stack at
 * multiples of four bytes, those of today at multiples of sixteen; so these agents call with the stack at each of the
 * four places that it can have in sixteen. */
#ifndef PERIOD_H
#define PERIOD_H

#include <jni.h>
#include <jvmpi.h>

/* Calls a function with these words, the stack `shift` bytes below a multiple of 16; of the two one gives what is in
 * eax, one what is in edx:eax. */
#ifdef __cplusplus
extern "C" {
#endif
int shifted(int shift, void *function, int count, const void *words);
long long shifted_long(int shift, void *function, int count, const void *words);
#ifdef __cplusplus
}
#endif
__asm__(".text\n"
        ".globl shifted, shifted_long\n"
        ".hidden shifted, shifted_long\n"
        ".type shifted, @function\n"
        ".type shifted_long, @function\n"
        "shifted:\n"
        "shifted_long:\n"
        "    push %ebp\n"
        "    mov %esp, %ebp\n"
        "    push %esi\n"
        "    push %edi\n"
        "    mov 16(%ebp), %ecx\n"
        "    lea (, %ecx, 4), %eax\n"
        "    sub %eax, %esp\n"
        "    and $-16, %esp\n"
        "    sub 8(%ebp), %esp\n"
        "    mov %esp, %edi\n"
        "    mov 20(%ebp), %esi\n"
        "    rep movsl\n"
        "    call *12(%ebp)\n"
        "    lea -8(%ebp), %esp\n"
        "    pop %edi\n"
        "    pop %esi\n"
        "    pop %ebp\n"
        "    ret\n");

#ifndef __cplusplus
#define WORDS(...) ((const void *[]) { __VA_ARGS__ })
#define COUNT(...) ((int)(sizeof WORDS(__VA_ARGS__) / sizeof(void *)))
#define WORD(value) ((const void *)(long)(value))
/* A function with one word of arguments at least, and one of JNI; `shift` is a variable. */
#define CALL(function, ...) shifted(shift, (void *)(function), COUNT(__VA_ARGS__), WORDS(__VA_ARGS__))
#define LONG_CALL(function, ...) shifted_long(shift, (void *)(function), COUNT(__VA_ARGS__), WORDS(__VA_ARGS__))
#define JNI(function, ...) CALL((*env)->function, env, __VA_ARGS__)
#endif

#endif

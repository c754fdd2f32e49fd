/* To be preloaded: the dynamic linker of glibc 2.41 and later, which refuses a library that wants an executable stack
 * unless the process has begun with one. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static int has_begun_so, refused;

__attribute__((constructor)) static void begin(void)
{
    const char *tunables = getenv("GLIBC_TUNABLES");

    has_begun_so = tunables != NULL && strstr(tunables, "glibc.rtld.execstack=2") != NULL;
}

void *dlopen(const char *name, int mode)
{
    void *(*real)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");

    refused = !has_begun_so && name != NULL && strstr(name, "_stack.so") != NULL;
    return refused ? NULL : real(name, mode);
}

char *dlerror(void)
{
    static char words[] = "cannot enable executable stack as shared object requires: Invalid argument";
    char *(*real)(void) = (char *(*)(void))dlsym(RTLD_NEXT, "dlerror");

    if (!refused)
        return real();
    refused = 0;
    return words;
}

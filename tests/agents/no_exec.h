/* Memory that is no file's and may be run is refused from now on, as with SELinux's execmem denied. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef SYS_mmap2
#define SYS_OF_MMAP SYS_mmap2
#else
#define SYS_OF_MMAP SYS_mmap
#endif

#define ARGUMENT(at) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[at]))
#define UNLESS(bits, skip) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, skip)
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES)

/* Of this thread and those it makes, or with SECCOMP_FILTER_FLAG_TSYNC of all that are there. 0: it cannot be had. */
static int refuse_exec(unsigned flags)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
        ARGUMENT(2), UNLESS(PROT_EXEC, 7), REFUSE,
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_OF_MMAP, 0, 5),
        ARGUMENT(2), UNLESS(PROT_EXEC, 3), ARGUMENT(3), UNLESS(MAP_ANONYMOUS, 1), REFUSE,
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof filter / sizeof *filter, filter };

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) == 0;
}

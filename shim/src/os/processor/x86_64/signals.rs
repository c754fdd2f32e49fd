//! Handlers of signals.

/// A handler of signals: `handler` on a stack that is aligned as a function of C expects it. qemu-user before 9.0
/// does not see to that (seen with 7.2), and AsyncGetCallTrace needs it.
macro_rules! signal_handler {
    ($handler:path) => {
        $crate::os::processor::code_at!("jvmpi_signal_handler");

        std::arch::global_asm!(
            ".text",
            ".p2align 4",
            ".hidden jvmpi_signal_handler",
            ".globl jvmpi_signal_handler",
            ".type jvmpi_signal_handler,@function",
            "jvmpi_signal_handler:",
            ".cfi_startproc",
            "push rbp",
            ".cfi_def_cfa_offset 16",
            ".cfi_offset rbp, -16",
            "mov rbp, rsp",
            ".cfi_def_cfa_register rbp",
            "and rsp, -16",
            "call {handler}",
            "leave",
            ".cfi_def_cfa rsp, 8",
            "ret",
            ".cfi_endproc",
            ".size jvmpi_signal_handler, . - jvmpi_signal_handler",
            handler = sym $handler,
        );
    };
}

pub(crate) use signal_handler;

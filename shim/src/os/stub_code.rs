//! What small functions in assembler have in common that stand in front of others: each leaves its
//! number in a register and jumps to code that keeps the caller's arguments.
//!
//! They are text for `global_asm!`. System V ABI: rdi rsi rdx rcx r8 r9 and xmm0 to 7 carry
//! arguments, al how many vector registers a function with a variable number of them gets, and
//! what else there is lies on the stack; r10 and r11 are free.

/// Bytes from one stub of [`stubs`] to the next.
pub(crate) const STUB: usize = 16;

/// A hidden function `$table` of `{room}` stubs: each does `$line`s, in which `jvmpi_stub` is its
/// number, and jumps to `$common`.
macro_rules! stubs {
    ($table:literal, $common:literal, $($line:literal),+) => {
        concat!(
            ".text\n",
            ".p2align 4\n",
            ".hidden ", $table, "\n",
            ".globl ", $table, "\n",
            ".type ", $table, ",@function\n",
            $table, ":\n",
            ".cfi_startproc\n",
            ".set jvmpi_stub, 0\n",
            ".rept {room}\n",
            ".p2align 4\n",
            $($line, "\n",)+
            ".set jvmpi_stub, jvmpi_stub + 1\n",
            "jmp ", $common, "\n",
            ".endr\n",
            ".p2align 4\n",
            ".cfi_endproc\n",
            ".size ", $table, ", . - ", $table
        )
    };
}

/// A function `$name` begins, and has put all arguments where rsp points to, rdi first, and then
/// rsi, rdx, rcx; rsp is aligned to 16. The word under rbp is free.
macro_rules! keep_arguments {
    ($name:literal) => {
        concat!(
            ".p2align 4\n",
            ".type ",
            $name,
            ",@function\n",
            $name,
            ":\n",
            ".cfi_startproc\n",
            "push rbp\n",
            ".cfi_def_cfa_offset 16\n",
            ".cfi_offset rbp, -16\n",
            "mov rbp, rsp\n",
            ".cfi_def_cfa_register rbp\n",
            "sub rsp, 208\n",
            "mov [rsp], rdi\n",
            "mov [rsp + 8], rsi\n",
            "mov [rsp + 16], rdx\n",
            "mov [rsp + 24], rcx\n",
            "mov [rsp + 32], r8\n",
            "mov [rsp + 40], r9\n",
            "mov [rsp + 48], rax\n",
            "movups [rsp + 64], xmm0\n",
            "movups [rsp + 80], xmm1\n",
            "movups [rsp + 96], xmm2\n",
            "movups [rsp + 112], xmm3\n",
            "movups [rsp + 128], xmm4\n",
            "movups [rsp + 144], xmm5\n",
            "movups [rsp + 160], xmm6\n",
            "movups [rsp + 176], xmm7"
        )
    };
}

/// All arguments are in their registers again.
macro_rules! restore_arguments {
    () => {
        "mov rdi, [rsp]
        mov rsi, [rsp + 8]
        mov rdx, [rsp + 16]
        mov rcx, [rsp + 24]
        mov r8, [rsp + 32]
        mov r9, [rsp + 40]
        mov rax, [rsp + 48]
        movups xmm0, [rsp + 64]
        movups xmm1, [rsp + 80]
        movups xmm2, [rsp + 96]
        movups xmm3, [rsp + 112]
        movups xmm4, [rsp + 128]
        movups xmm5, [rsp + 144]
        movups xmm6, [rsp + 160]
        movups xmm7, [rsp + 176]"
    };
}

/// The function `$name` leaves with `$jump`.
macro_rules! leave {
    ($name:literal, $jump:literal) => {
        concat!(
            "leave\n",
            ".cfi_def_cfa rsp, 8\n",
            $jump,
            "\n",
            ".cfi_endproc\n",
            ".size ",
            $name,
            ", . - ",
            $name
        )
    };
}

pub(crate) use {keep_arguments, leave, restore_arguments, stubs};

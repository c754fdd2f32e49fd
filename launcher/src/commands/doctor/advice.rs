//! What to do about what the dynamic linker says.

/// A library of JDKs up to 6, which threads and files of the VM were behind.
pub(super) const HPI: &str = "libhpi.so";

pub(super) const NO_HPI: &str = "JDKs have had it up to 6, and agents were linked with it without need: put an empty one on \
    LD_LIBRARY_PATH (gcc -shared -x c /dev/null -o libhpi.so, with -m32 for an agent of 32 bits)";

/// What to do about a message of the dynamic linker.
pub(super) fn load_advice(why: &str) -> &'static str {
    if why.contains("musl") {
        "it is built for musl, the C library of Alpine; get a build for glibc, which today's JVMs of other systems are for"
    } else if why.contains("libstdc++-libc6")
        || why.contains("libstdc++.so.5")
        || why.contains("libstdc++.so.4")
    {
        "it needs the C++ library of its time; install it (Debian: libstdc++5) or put the old file on LD_LIBRARY_PATH"
    } else if why.contains("executable stack") {
        "this system refuses its mark for an executable stack; start the program with GLIBC_TUNABLES=glibc.rtld.execstack=2 \
         (glibc 2.41 and later), or take the mark off a copy (patchelf --clear-execstack)"
    } else if why.contains("segment prot after reloc") {
        "SELinux forbids that its code is written to when it is loaded (text relocations): chcon -t textrel_shlib_t on the \
         agent's file, or get a build with position-independent code"
    } else if why.contains("static TLS block") {
        "its variables of threads want room that is set aside when a program starts: start it with \
         GLIBC_TUNABLES=glibc.rtld.optional_static_tls=4096, or more (glibc 2.32 and later), or preload the agent (LD_PRELOAD)"
    } else if why.contains(HPI) {
        NO_HPI
    } else if why.contains("cannot open shared object file") {
        "install the package that has this library, or put its folder on LD_LIBRARY_PATH"
    } else if why.contains("undefined symbol") {
        "it expects this symbol from the VM or from a library it does not name; get another build, or preload the library that has it (LD_PRELOAD)"
    } else if why.contains("not found (required by") {
        "it was built for a newer system; get an older build, or run it on a newer system"
    } else {
        "get another build of the agent"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_fits_the_message() {
        for (why, part) in [
            (
                "libstdc++.so.5: cannot open shared object file",
                "libstdc++5",
            ),
            (
                "libx.so.1: cannot open shared object file: No such file",
                "install",
            ),
            ("./a.so: undefined symbol: JVM_Foo", "LD_PRELOAD"),
            (
                "cannot enable executable stack as shared object requires",
                "patchelf",
            ),
            (
                "/l/libc.so.6: version `GLIBC_2.99' not found (required by ./a.so)",
                "newer system",
            ),
            (
                "libc.musl-x86_64.so.1: cannot open shared object file: No such file",
                "for glibc",
            ),
            (
                "./a.so: cannot restore segment prot after reloc: Permission denied",
                "textrel_shlib_t",
            ),
            (
                "./a.so: cannot allocate memory in static TLS block",
                "optional_static_tls",
            ),
            (
                "libhpi.so: cannot open shared object file: No such file",
                "an empty one",
            ),
            ("anything", "another build"),
        ] {
            assert!(load_advice(why).contains(part), "{why}");
        }
    }
}

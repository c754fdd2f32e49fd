//! What comes of an agent's handlers.

use xrun_tests::jdk::{each_jdk_if, on_jdk_if};
use xrun_tests::report::assert_checks;

use super::{has_compiler, with_helper};

/// The class file that a handler leaves, in memory from `malloc_f` or where it was shown, is what runs.
#[test]
fn classes_are_replaced() {
    each_jdk_if(has_compiler, |jdk| {
        for mode in ["", ",place"] {
            let java = with_helper(jdk, "hook", &format!("original-=replaced-{mode}"));
            let run = java
                .main("Patched")
                .run()
                .exits(0)
                .says("replaced-1\nreplaced-2\njava.lang.Exception: x 5\nnull\n");
            assert_eq!(
                run.file("report.txt"),
                "hooks=yes replaced=2 empty=0 after_init=yes\n",
                "{run}"
            );
        }
    });
}

/// A signal's handler calls JVMPI and JNI while its thread talks with the VM: it gets nothing, and the thread its answers.
#[test]
fn signals_come_in_the_middle_of_a_word() {
    on_jdk_if(17, has_compiler, |jdk| {
        let java = with_helper(jdk, "interrupts", "");
        let run = java.main("Hot 1000").limit(120).run();
        let run = run.exits(0).says("done\n");
        assert_checks(&run.file("report.txt"), 4);
    });
}

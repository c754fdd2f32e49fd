//! A sampler that is written into a skeleton: it stops threads wherever they are, looks at them and lets them go on.

use std::path::Path;
use std::process::Command;

use event_translate::table::{EventKind, Function};
use xrun_tests::fixture;
use xrun_tests::jdk::each_jdk_if;
use xrun_tests::run::{self, Java, agent_path};

use super::pieces::usage;
use super::{has_headers, xrun};

/// What its author writes.
const LOOK: &str = r#"
static void look_at_all(JNIEnv *jni)
{
    jthread *threads, own = NULL;
    jint number, i;

    if (!ok((*jvmti)->GetAllThreads(jvmti, &number, &threads), "GetAllThreads"))
        return;
    ok((*jvmti)->GetCurrentThread(jvmti, &own), "GetCurrentThread");
    for (i = 0; i < number; i++) {
        if (!(*jni)->IsSameObject(jni, threads[i], own) && suspend_thread(threads[i])) {
            thread_has_run(threads[i]);
            call_trace(threads[i]);
            resume_thread(threads[i]);
        }
        (*jni)->DeleteLocalRef(jni, threads[i]);
    }
    (*jni)->DeleteLocalRef(jni, own);
    release(threads);
}
"#;

/// Most of them are in a callback of a birth, which has entered the skeleton's own monitor.
#[test]
fn a_sampler_never_waits_for_whom_it_has_stopped() {
    let events = [
        EventKind::ObjectAlloc,
        EventKind::ThreadStart,
        EventKind::JvmInitDone,
    ];
    let functions = [
        Function::SuspendThread,
        Function::ResumeThread,
        Function::ThreadHasRun,
        Function::GetCallTrace,
        Function::CreateSystemThread,
    ];
    let folder = fixture::unique("stopping");
    let file = folder.join("usage");
    std::fs::write(&file, usage(&events, &functions.map(|it| it.slot()))).unwrap();
    each_jdk_if(has_headers, |jdk| {
        let skeleton = folder.join(jdk.major.to_string());
        let words = ["report", "--skeleton"].map(Path::new);
        xrun(&[words[0], words[1], &skeleton, &file]).exits(0);
        let path = skeleton.join("agent.c");
        let text = std::fs::read_to_string(&path).unwrap();
        let thread = "static void JNICALL agent_thread(";
        let here = "/* Here goes what the old agent's thread did; 10 ms are an example. */";
        assert!(text.contains(thread) && text.contains(here), "{text}");
        let text = text.replace(thread, &format!("{LOOK}\n{thread}"));
        std::fs::write(&path, text.replace(here, "look_at_all(jni);")).unwrap();
        let mut make = Command::new("make");
        make.arg("-C").arg(&skeleton);
        make.arg(format!("JAVA_HOME={}", jdk.home.display()));
        run::output(make, 60).exits(0);
        let agent = agent_path(&skeleton.join("libagent.so"), "file=counts.txt");
        let run = Java::of(jdk).arg(agent).main("AllocStorm 4 3000ms");
        let run = run.limit(60).run().exits(0);
        assert!(
            run.file("counts.txt").contains("COUNT OBJECT_ALLOC "),
            "{run}"
        );
    });
    let _ = std::fs::remove_dir_all(folder);
}

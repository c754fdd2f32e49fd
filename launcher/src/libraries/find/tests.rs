use super::*;
use crate::base::test_folder::Folder;

/// The head of a 32-bit SPARC library: no machine of ours.
const FOREIGN: &[u8] = b"\x7fELF\x01\x02\x01\0\0\0\0\0\0\0\0\0\x00\x03\x00\x02................";

fn search(folder: &Folder) -> Search {
    Search {
        host32: None,
        boot: vec![folder.path("jdk")],
        agents: vec![folder.path("agents"), folder.path("agents2")],
        library_path: vec![folder.path("ld"), folder.path("ld2")],
        own: Some(folder.path("own")),
        system: |_| Vec::new(),
        target: target_of(&std::env::current_exe().unwrap()).ok(),
    }
}

#[test]
fn places_are_searched_in_order() {
    let folder = Folder::new("find-order");
    let library = folder.library("libmodel.so", &["JVM_OnLoad"]);
    let content = std::fs::read(library).unwrap();
    let search = search(&folder);
    for (dir, place) in [
        ("own", Place::OwnFolder),
        ("ld2", Place::LibraryPath),
        ("ld", Place::LibraryPath),
        ("agents2", Place::Agents),
        ("agents", Place::Agents),
        ("jdk", Place::JdkLib),
    ] {
        let path = folder.file(&format!("{dir}/libfoo.so"), &content);
        let found = search.find(OsStr::new("foo")).unwrap();
        let kind = AgentKind::Jvmpi;
        let beside = false;
        assert_eq!(
            found,
            Found {
                path,
                place,
                kind,
                beside
            }
        );
    }
    assert_eq!(search.find(OsStr::new("bar")), Err(Missing::default()));
}

#[test]
fn library_in_two_lists_is_the_vms() {
    let folder = Folder::new("find-both");
    let library = folder.library("ld/libfoo.so.1", &["JVM_OnLoad"]);
    std::os::unix::fs::symlink(&library, folder.path("ld/libfoo.so")).unwrap();
    let mut search = search(&folder);
    search.agents = vec![folder.path("ld")];
    let place = |search: &Search| search.find(OsStr::new("foo")).unwrap().place;
    assert_eq!(place(&search), Place::LibraryPath);
    search.library_path.clear();
    assert_eq!(place(&search), Place::Agents);
}

/// README has this for who can change neither command line nor environment.
#[test]
fn the_shim_under_the_agents_name_is_passed_over() {
    let folder = Folder::new("find-shim");
    let shim = folder.library("own/libjvmpi.so", &["JVM_OnLoad", "Agent_OnLoad"]);
    let search = search(&folder);
    std::fs::create_dir(folder.path("ld")).unwrap();
    let link = folder.path("ld/libfoo.so");
    std::os::unix::fs::symlink(&shim, &link).unwrap();
    assert_eq!(search.find(OsStr::new("foo")), Err(Missing::default()));
    let real = folder.library("ld2/libfoo.so", &["JVM_OnLoad"]);
    assert_eq!(search.find(OsStr::new("foo")).unwrap().path, real);
    std::fs::remove_file(&link).unwrap();
    std::fs::hard_link(&shim, &link).unwrap();
    assert_eq!(search.find(OsStr::new("foo")).unwrap().path, real);
    assert_eq!(search.find(OsStr::new("jvmpi")).unwrap().path, shim);
}

#[test]
fn unfit_files_are_passed_over_and_remembered() {
    let folder = Folder::new("find-unfit");
    folder.file("jdk/libfoo.so", FOREIGN);
    folder.file("agents/libfoo.so", b"text");
    std::fs::create_dir_all(folder.path("agents2/libfoo.so")).unwrap();
    let mut search = search(&folder);
    let reasons: Vec<String> = search
        .find(OsStr::new("foo"))
        .unwrap_err()
        .unfit
        .into_iter()
        .map(|(_, reason)| reason.to_string())
        .collect();
    assert_eq!(reasons.len(), 3);
    assert!(reasons[0].starts_with("is built for 32-bit SPARC, but the VM is "));
    assert_eq!(reasons[1], "is not an ELF library");
    assert_eq!(reasons[2], "is a folder");

    let good = folder.library("libgood.so", &["Agent_OnLoad"]);
    search.own = good.parent().map(Path::to_owned);
    std::fs::rename(&good, folder.path("libfoo.so")).unwrap();
    assert_eq!(
        search.find(OsStr::new("foo")).unwrap().place,
        Place::OwnFolder
    );
}

#[test]
fn kinds() {
    let folder = Folder::new("find-kinds");
    let search = search(&folder);
    for (functions, kind) in [
        (&["JVM_OnLoad"][..], AgentKind::Jvmpi),
        (&["JVM_OnLoad", "Agent_OnLoad"], AgentKind::Jvmpi),
        (&["Agent_OnLoad"], AgentKind::Jvmti),
        (
            &["Agent_OnLoad", "Java_java_lang_JvmpiHooks_register"],
            AgentKind::WithShim,
        ),
        (&["Java_Main_hello"], AgentKind::Neither),
    ] {
        let path = folder.library("libkind.so", functions);
        let found = search.find(path.as_os_str()).unwrap();
        assert_eq!((found.kind, found.place), (kind, Place::Path));
    }
}

#[test]
fn system_libraries_are_the_vms_and_asked_last() {
    let folder = Folder::new("find-system");
    let mut search = search(&folder);
    // A function has no room for a folder's name.
    thread_local! {
        static SYSTEM: std::cell::RefCell<PathBuf> = std::cell::RefCell::default();
    }
    let library = folder.library("system/libxrunsystem.so", &["JVM_OnLoad"]);
    SYSTEM.set(library.parent().unwrap().to_owned());
    search.system = |file| vec![SYSTEM.with_borrow(|folder| folder.join(file))];
    let found = search.find(OsStr::new("xrunsystem"));
    assert_eq!(found.unwrap().place, Place::System);
}

#[test]
fn library_path_entries() {
    let folders = |value: &str| folders_of(Some(OsStr::new(value)));
    assert_eq!(folders("/a:/b;/c"), ["/a", "/b", "/c"].map(PathBuf::from));
    assert_eq!(folders(":/a"), [".", "/a"].map(PathBuf::from));
    assert!(folders("").is_empty());
    assert!(folders_of(None).is_empty());
}

#[test]
fn linker_cache() {
    let text = "2 libs found in cache `/etc/ld.so.cache'\n\tlibfoo.so.1 (libc6,x86-64) => /l/libfoo.so.1\n\tlibfoo.so (libc6) => /l32/libfoo.so\n\tlibfoo.so (libc6,x86-64) => /l/libfoo.so\n";
    assert_eq!(
        in_linker_cache(text, OsStr::new("libfoo.so")),
        ["/l32/libfoo.so", "/l/libfoo.so"].map(PathBuf::from)
    );
}

#[test]
fn short_names() {
    assert_eq!(
        short_name(Path::new("/a/libfoo.so")).as_deref(),
        Some("foo")
    );
    assert_eq!(short_name(Path::new("/a/libfoo.so.1")), None);
    assert_eq!(short_name(Path::new("/a/foo.so")), None);
}

#[test]
fn a_library_of_32_bits_runs_beside_the_vm_if_its_program_is_there() {
    let folder = Folder::new("find-beside");
    let mut head = [0; 64];
    head[..20].copy_from_slice(b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x03\0");
    folder.file("agents/libold.so", &head);
    let mut search = search(&folder);
    search.target = Target::from_head(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0");
    let arm = Target::from_head(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\xb7\0");
    for target in [search.target, arm] {
        search.target = target;
        search.host32 = None;
        let why = search.find(OsStr::new("old")).unwrap_err().unfit[0]
            .1
            .to_string();
        assert!(why.starts_with("is built for 32-bit x86, but"), "{why}");
        assert!(
            why.contains("./build-i386 in xrun's sources makes it"),
            "{why}"
        );
        search.host32 = Some(folder.path("xrun-host32"));
        assert!(search.find(OsStr::new("old")).unwrap().beside);
    }
}

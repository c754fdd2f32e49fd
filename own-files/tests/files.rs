//! On a real file system.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown, lchown, symlink};
use std::path::Path;

use own_files::{
    Folder, Fresh, Put, Target, append, claim, create, is_refusal, look_up, may_be_written_over,
    replace, replace_by,
};

fn folder() -> Folder {
    Folder::new(Path::new(env!("CARGO_TARGET_TMPDIR")), "files-").unwrap()
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

fn listed(folder: &Folder) -> Vec<String> {
    let files = fs::read_dir(folder.path()).unwrap();
    files
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[test]
fn a_folder_is_new_ours_and_removed() {
    let one = folder();
    let two = folder();
    assert_ne!(one.path(), two.path());
    assert_eq!(mode(one.path()), 0o700);
    fs::write(one.path().join("x"), "").unwrap();
    let path = one.path().to_owned();
    drop(one);
    assert!(!path.exists());
}

#[test]
fn a_new_file_is_for_its_owner_and_follows_no_link() {
    let folder = folder();
    let (file, link) = (folder.path().join("file"), folder.path().join("link"));
    create(&file).unwrap();
    assert_eq!(mode(&file), 0o600);
    symlink(folder.path().join("elsewhere"), &link).unwrap();
    for there in [&file, &link] {
        assert_eq!(create(there).unwrap_err().kind(), ErrorKind::AlreadyExists);
    }
    assert!(!folder.path().join("elsewhere").exists());
}

#[test]
fn what_is_there_stays_until_the_new_is_whole() {
    let folder = folder();
    let place = folder.path().join("profile");
    fs::write(&place, "old").unwrap();
    let fresh = Fresh::beside(&place).unwrap();
    fresh.file().write_all(b"ne").unwrap();
    assert_eq!(fs::read(&place).unwrap(), b"old");
    drop(fresh);
    assert_eq!(listed(&folder), ["profile"]);
    let fresh = Fresh::beside(&place).unwrap();
    fresh.file().write_all(b"new").unwrap();
    let mut file = fresh.put_in_place().unwrap();
    file.write_all(b"er").unwrap();
    assert_eq!(fs::read(&place).unwrap(), b"newer");
    assert_eq!(mode(&place), 0o600);
    assert_eq!(listed(&folder), ["profile"]);
    replace(&place, b"newest").unwrap();
    assert_eq!(fs::read(&place).unwrap(), b"newest");
    assert_eq!(listed(&folder), ["profile"]);
    let half = replace_by(&place, |out| {
        out.write_all(&[7; 1 << 17])?;
        Err(ErrorKind::OutOfMemory.into())
    });
    assert_eq!(half.unwrap_err().kind(), ErrorKind::OutOfMemory);
    assert_eq!(fs::read(&place).unwrap(), b"newest");
    assert_eq!(listed(&folder), ["profile"]);
}

#[test]
fn what_cannot_take_a_place_is_copied_and_gone() {
    let folder = folder();
    let [place, other] = ["place", "other"].map(|name| folder.path().join(name));
    // No file takes the place of a folder, nor that of a mount.
    fs::create_dir(&place).unwrap();
    let mut there = create(&other).unwrap();
    there.write_all(b"what was longer").unwrap();
    let fresh = Fresh::beside(&place).unwrap();
    fresh.file().write_all(b"new").unwrap();
    let put = fresh.put_in_place_or_copy(&there, |_| true).unwrap();
    assert!(matches!(put, Put::Copied), "{put:?}");
    assert_eq!(fs::read(&other).unwrap(), b"new");
    let mut names = listed(&folder);
    names.sort();
    assert_eq!(names, ["other", "place"]);
    let fresh = Fresh::beside(&place).unwrap();
    fresh.file().write_all(b"newer").unwrap();
    let only_read = fs::File::open(&other).unwrap();
    let refusal = fresh
        .put_in_place_or_copy(&only_read, |_| true)
        .unwrap_err();
    assert!(refusal.to_string().contains("what was written is in"));
    assert_eq!(listed(&folder).len(), 3);
    // What may not be copied into another one is gone, or takes another place.
    for instead in [false, true] {
        let fresh = Fresh::beside(&place).unwrap();
        fresh.file().write_all(b"newest").unwrap();
        let put = fresh.put_in_place_or_copy(&there, |_| false).unwrap();
        let Put::Refused(fresh) = put else {
            panic!("{put:?}");
        };
        if instead {
            let place = folder.path().join("instead");
            fresh.instead(&place).put_in_place().unwrap();
            assert_eq!(fs::read(&place).unwrap(), b"newest");
        }
    }
    assert_eq!(fs::read(&other).unwrap(), b"new");
    assert_eq!(listed(&folder).len(), 4);
}

#[test]
fn what_is_another_users_is_not_written_over() {
    let folder = folder();
    let file = create(&folder.path().join("file")).unwrap();
    let denied = ErrorKind::PermissionDenied.into();
    let [busy, read_only] =
        [ErrorKind::ResourceBusy, ErrorKind::ReadOnlyFilesystem].map(Into::into);
    assert!(is_refusal(&denied) && is_refusal(&read_only) && !is_refusal(&busy));
    for reason in [&denied, &busy, &read_only] {
        assert!(may_be_written_over(&file, reason), "{reason}");
    }
    // Only root can give a file away.
    if file.metadata().unwrap().uid() == 0 {
        fchown(&file, Some(65534), None).unwrap();
        assert!(!may_be_written_over(&file, &denied));
        // A mount is the administrator's word.
        assert!(may_be_written_over(&file, &busy) && may_be_written_over(&file, &read_only));
    }
}

#[test]
fn whoever_may_read_the_one_before_may_read_the_next() {
    let folder = folder();
    let place = folder.path().join("profile");
    let before = create(&place).unwrap();
    before
        .set_permissions(fs::Permissions::from_mode(0o4640))
        .unwrap();
    // Only root can give a file away.
    let (mut uid, mut gid) = (before.metadata().unwrap().uid(), None);
    if uid == 0 {
        (uid, gid) = (65534, Some(65533));
        lchown(&place, Some(uid), gid).unwrap();
    }
    let fresh = Fresh::beside(&place).unwrap();
    assert_eq!(fresh.file().metadata().unwrap().mode() & 0o777, 0o600);
    fresh.share_as(&before).unwrap();
    fresh.put_in_place().unwrap();
    let seen = fs::metadata(&place).unwrap();
    assert_eq!((mode(&place), seen.uid()), (0o640, uid));
    assert!(gid.is_none_or(|gid| gid == seen.gid()));
}

#[test]
fn what_others_have_written_takes_its_place() {
    let folder = folder();
    let place = folder.path().join("profile");
    fs::write(&place, "old").unwrap();
    let within = Folder::new(folder.path(), "within-").unwrap();
    let written = within.path().join("heap");
    fs::write(&written, "new").unwrap();
    fs::set_permissions(&written, fs::Permissions::from_mode(0o644)).unwrap();
    let link = within.path().join("link");
    symlink(&written, &link).unwrap();
    assert!(Fresh::adopt(&link, &place).is_err());
    let fresh = Fresh::adopt(&written, &place).unwrap();
    assert_eq!(fs::read(&place).unwrap(), b"old");
    fresh.put_in_place().unwrap();
    assert_eq!(
        (fs::read(&place).unwrap(), mode(&place)),
        (b"new".to_vec(), 0o600)
    );
    drop(within);
    assert_eq!(listed(&folder), ["profile"]);
}

#[test]
fn links_are_followed_if_their_maker_may_be_trusted() {
    let folder = folder();
    let [file, link, loops] = ["file", "link", "loops"].map(|name| folder.path().join(name));
    symlink("file", &link).unwrap();
    assert_eq!(look_up(&link).unwrap(), Target::New(file.clone()));
    append(&link).unwrap().write_all(b"a line").unwrap();
    assert_eq!(fs::read(&file).unwrap(), b"a line");
    replace(&link, b"through the link").unwrap();
    assert_eq!(look_up(&link).unwrap(), Target::File(file.clone()));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    symlink("loops", &loops).unwrap();
    assert_eq!(
        look_up(&loops).unwrap_err().raw_os_error(),
        Some(libc::ELOOP)
    );
    assert!(look_up(folder.path()).is_err());
    // Only root can give a link away.
    if fs::metadata(&file).unwrap().uid() == 0 {
        lchown(&link, Some(65534), Some(65534)).unwrap();
        let refusal = look_up(&link).unwrap_err();
        assert!(refusal.to_string().contains("another user"), "{refusal}");
        assert!(replace(&link, b"secret").is_err() && append(&link).is_err());
        assert_eq!(fs::read(&file).unwrap(), b"through the link");
    }
}

#[test]
fn a_place_that_cannot_be_is_no_place_for_a_new_file() {
    let folder = folder();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let refusal = look_up(&file.join("below")).unwrap_err();
    assert_eq!(refusal.kind(), ErrorKind::NotADirectory);
}

#[test]
fn nothing_takes_the_place_of_a_device() {
    for name in ["/dev/null", "/dev/stdout", "/proc/self/fd/1", "/dev/fd/1"] {
        assert!(matches!(
            look_up(Path::new(name)).unwrap(),
            Target::Special(_)
        ));
    }
    replace(Path::new("/dev/null"), b"nothing").unwrap();
    let folder = folder();
    let link = folder.path().join("out");
    symlink("/dev/stdout", &link).unwrap();
    assert!(matches!(look_up(&link).unwrap(), Target::Special(_)));
}

#[test]
fn a_claim_changes_nothing_and_sees_what_has_come_in_between() {
    let folder = folder();
    let place = folder.path().join("profile");
    let (_, new) = claim(&place, |_| true).unwrap().unwrap();
    assert!(new && mode(&place) == 0o600);
    fs::write(&place, "old").unwrap();
    assert!(claim(&place, |_| false).unwrap().is_none());
    // Its owner puts another one in its place just before the lock is free.
    let tries = std::cell::Cell::new(0);
    let (file, new) = claim(&place, |_| {
        tries.set(tries.get() + 1);
        if tries.get() == 1 {
            replace(&place, b"theirs").unwrap();
        }
        true
    })
    .unwrap()
    .unwrap();
    assert!(!new && tries.get() == 2 && own_files::names(&place, &file));
    assert_eq!(fs::read(&place).unwrap(), b"theirs");
}

#[test]
fn nothing_is_claimed_in_a_folder_that_is_not_there() {
    let folder = folder();
    let place = folder.path().join("gone").join("profile");
    let refusal = claim(&place, |_| true).unwrap_err();
    assert_eq!(refusal.kind(), ErrorKind::NotFound);
}

#[test]
fn no_link_leads_a_claim_elsewhere() {
    let folder = folder();
    let [file, link] = ["file", "link"].map(|name| folder.path().join(name));
    fs::write(&file, "somebody's").unwrap();
    symlink("file", &link).unwrap();
    let refusal = claim(&link, |_| true).unwrap_err();
    assert_eq!(refusal.raw_os_error(), Some(libc::ELOOP));
}

//! Temporary folders of tests, with files, programs and libraries in them.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

/// A temporary folder that is removed with its contents.
pub(crate) struct Folder(own_files::Folder);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let folder = own_files::Folder::new(&std::env::temp_dir(), &format!("xrun-{name}-"));
        Self(folder.unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn program(&self, name: &str, content: &str) -> PathBuf {
        let path = self.file(name, content.as_bytes());
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        path
    }

    /// A real shared library that exports these functions.
    pub(crate) fn library(&self, name: &str, functions: &[&str]) -> PathBuf {
        let code: String = functions
            .iter()
            .map(|f| format!("int {f}(void) {{ return 0; }}\n"))
            .collect();
        let source = self.file(&format!("{name}.c"), code.as_bytes());
        let library = self.path(name);
        let status = Command::new("cc")
            .args(["-shared", "-fPIC", "-nostdlib", "-o"])
            .args([&library, &source])
            .status()
            .unwrap();
        assert!(status.success());
        library
    }
}

//! Programs that people run: javac, and Debian's fop and h2.

use std::path::{Path, PathBuf};

use crate::fixture::debian_jar;
use crate::jdk::Jdk;

/// A program, small enough to be run many times.
#[derive(Debug)]
pub struct Program {
    /// Words behind `java`.
    pub words: Vec<String>,
    /// What it leaves in its folder.
    pub files: &'static [&'static str],
}

const FOP_NEEDS: [&str; 10] = [
    "batik-all.jar",
    "commons-io.jar",
    "commons-logging.jar",
    "fontbox2.jar",
    "serializer.jar",
    "xalan2.jar",
    "xercesImpl.jar",
    "xml-apis-ext.jar",
    "xml-apis.jar",
    "xmlgraphics-commons.jar",
];

const DOCUMENT: &str = r#"<fo:root xmlns:fo="http://www.w3.org/1999/XSL/Format">
<fo:layout-master-set><fo:simple-page-master master-name="p"><fo:region-body/></fo:simple-page-master>
</fo:layout-master-set><fo:page-sequence master-reference="p"><fo:flow flow-name="xsl-region-body">
<fo:block>The quick brown fox jumps over the lazy dog.</fo:block></fo:flow></fo:page-sequence></fo:root>"#;

const SCRIPT: &str = "create table t(id int primary key, name varchar);
insert into t select x, chr(65 + mod(x, 7)) from system_range(1, 1000);
create index i on t(name);
select name, count(*), sum(id) from t group by name order by name;
";

/// `javac`, `fop` or `h2`, to run in this folder; or what is missing.
///
/// # Errors
/// What is not on this machine.
///
/// # Panics
/// If the folder cannot be written to.
pub fn program(name: &str, jdk: &Jdk, folder: &Path) -> Result<Program, &'static str> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("java");
    let jar = |name: &str| debian_jar(&format!("{name}.jar"));
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let (words, files): (Vec<String>, &'static [&'static str]) = match name {
        "javac" if jdk.tool("javac").is_file() => {
            let words = format!(
                "-m jdk.compiler/com.sun.tools.javac.Main -nowarn -proc:none -d . -sourcepath {} {}",
                text(&sources),
                text(&sources.join("Methods.java"))
            );
            let words = words.split(' ').map(str::to_owned).collect();
            (words, &["Methods.class"])
        }
        "javac" => return Err("no compiler"),
        "fop" => {
            let jar: PathBuf = jar("fop").ok_or("no fop.jar (fop)")?;
            std::fs::write(folder.join("doc.fo"), DOCUMENT).expect("writable");
            // Those that its package asks for: others of the folder do not go together.
            let jars = FOP_NEEDS.iter().map(|name| jar.with_file_name(name));
            let jars: Vec<_> = jars.chain([jar.clone()]).map(|jar| text(&jar)).collect();
            let words = [
                "-Dorg.apache.commons.logging.Log=org.apache.commons.logging.impl.NoOpLog",
                "-cp",
                &jars.join(":"),
                "org.apache.fop.cli.Main",
                "-q",
                "doc.fo",
                "-txt",
                "out.txt",
            ];
            (words.map(str::to_owned).to_vec(), &["out.txt"])
        }
        _ => {
            let jar = jar("h2").ok_or("no h2.jar (libh2-java)")?;
            std::fs::write(folder.join("script.sql"), SCRIPT).expect("writable");
            let words = "org.h2.tools.RunScript -url jdbc:h2:mem:x -script script.sql -showResults";
            let words = ["-cp".to_owned(), text(&jar)]
                .into_iter()
                .chain(words.split(' ').map(str::to_owned));
            (words.collect(), &[])
        }
    };
    Ok(Program { words, files })
}

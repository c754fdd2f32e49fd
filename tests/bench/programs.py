"""Real programs to measure with: javac, and Debian's fop and h2 where they are installed.

    apt-get install fop libh2-java
"""
import glob, os, zipfile

# What the package of fop asks for: other jars of the folder do not go together.
FOP = ["fop", "batik-all", "commons-io", "commons-logging", "fontbox2", "serializer", "xalan2", "xercesImpl", "xml-apis-ext", "xml-apis", "xmlgraphics-commons"]
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def workloads(work, home, rows=300_000, scans=8, archives=(), sources="java/util/**", paragraphs=3000):
    """Name -> arguments of java, for the programs of Debian that are installed."""
    found = {}
    tree = java_sources(work, [*archives, f"{home}/lib/src.zip"], sources)
    if tree and os.path.exists(f"{home}/bin/javac"):
        found[f"javac ({sources} of the JDK)"] = ["-m", "jdk.compiler/com.sun.tools.javac.Main", "-nowarn", "-implicit:none", "--patch-module",
                                       f"java.base={tree}", "-d", f"{work}/out", f"@{work}/files"]
    share = "/usr/share/java"
    if os.path.exists(f"{share}/fop.jar"):
        document = f"{work}/doc.fo"
        block = "<fo:block>The quick brown fox jumps over the lazy dog. " * 1 + "</fo:block>"
        with open(document, "w") as out:
            out.write('<fo:root xmlns:fo="http://www.w3.org/1999/XSL/Format"><fo:layout-master-set>'
                      '<fo:simple-page-master master-name="p"><fo:region-body/></fo:simple-page-master>'
                      '</fo:layout-master-set><fo:page-sequence master-reference="p"><fo:flow flow-name="xsl-region-body">'
                      + block * paragraphs + "</fo:flow></fo:page-sequence></fo:root>")
        jars = ":".join(f"{share}/{name}.jar" for name in FOP)
        found[f"fop ({paragraphs} paragraphs to PDF)"] = ["-cp", jars, "org.apache.fop.cli.Main", "-q", document, f"{work}/doc.pdf"]
    if os.path.exists(f"{share}/h2.jar"):
        script = f"{work}/h2.sql"
        with open(script, "w") as out:
            out.write("create table t(id int primary key, name varchar, v double);\n"
                      f"insert into t select x, 'name' || x, rand() from system_range(1, {rows});\n"
                      "create index i on t(name);\n"
                      + "select count(*), avg(v) from t where name like '%7%';\n" * scans
                      + "update t set v = v * 2; delete from t where id % 3 = 0;\n")
        found[f"h2 ({rows:_} rows, {scans} scans)".replace("_", " ")] = ["-cp", f"{share}/h2.jar", "org.h2.tools.RunScript", "-url", "jdbc:h2:mem:x", "-script", script]
    return found


def java_sources(work, archives, sources):
    """A folder with java.base/java/util below it, and the list of those of its files in work/files."""
    unpacked = f"{ROOT}/target/demo/src/java.base"
    if os.path.isdir(f"{unpacked}/java/util"):
        tree = unpacked
    elif any(os.path.exists(name) for name in archives):
        tree = f"{work}/src/java.base"
        with zipfile.ZipFile(next(name for name in archives if os.path.exists(name))) as archive:
            archive.extractall(f"{work}/src", [name for name in archive.namelist() if name.startswith("java.base/java/util/") and name.endswith(".java")])
    else:
        return None
    with open(f"{work}/files", "w") as out:
        out.writelines(f"{name}\n" for name in glob.glob(f"{tree}/{sources}/*.java", recursive=True))
    return tree

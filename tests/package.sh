#!/bin/sh
# Whether the packages of ./package work by themselves: unpacked into an empty folder, with a
# JDK, and nothing of the repository (nor of the user's environment) in sight.
#
#   tests/package.sh         builds them anew: none is tried that is older than what it is of
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
out=$PWD/target/package
cpu=$(uname -m)
case $cpu in
aarch64) deb_cpu=arm64 sums=SHA256SUMS-arm64 ;;
*) deb_cpu=amd64 sums=SHA256SUMS ;;
esac
deb=$out/xrun_${version}_$deb_cpu.deb
rm -f "$deb"
./package
jdk=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")

fail() {
    echo "package: $1" >&2
    exit 1
}
has() {
    grep -q -- "$1" "$2" || {
        cat "$2" >&2
        fail "no \"$1\" in $2"
    }
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$out" && sha256sum --quiet -c "$sums")

mkdir "$work/java" "$work/deb" "$work/tar"
cat >"$work/java/Busy.java" <<'JAVA'
public class Busy {
    public static void main(String[] words) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 3_000_000; i++) {
            text.append(i % 10);
            if (text.length() > 1000) text.setLength(0);
        }
        System.out.println("done " + text.length());
    }
}
JAVA
"$jdk/bin/javac" -d "$work/java" "$work/java/Busy.java"

dpkg-deb -x "$deb" "$work/deb"
tar -xzf "$out/xrun-$version-linux-$cpu.tar.gz" -C "$work/tar"
for root in "$work/deb/usr" "$work/tar/xrun-$version-linux-$cpu"; do
    run() {
        (cd "$work/java" && env -i PATH="$root/bin:$jdk/bin:/usr/bin:/bin" HOME="$work" "$@")
    }
    [ "$(run xrun --version)" = "xrun $version" ] || fail "another version"
    run xrun --set log=info java -Xrunhprof:heap=sites,file=sites.txt Busy >"$work/said" 2>&1 || fail "it does not run: $(cat "$work/said")"
    has "^done " "$work/said"
    has "libjvmpi $version, process [0-9]" "$work/said"
    has "^SITES BEGIN" "$work/java/sites.txt"
    rm "$work/java/sites.txt"
    # As scripts have it.
    run xrun java -agentlib:hprof=cpu=samples,file=cpu.txt -XX:MaxPermSize=64m Busy >"$work/said" 2>&1 || fail "it does not run: $(cat "$work/said")"
    has "^CPU SAMPLES BEGIN" "$work/java/cpu.txt"
    rm "$work/java/cpu.txt"
    for agent in jvmpi_counter jvmpi_sampler jvmpi_check; do
        run xrun java "-Xrun$agent" Busy >"$work/said" 2>&1 || fail "$agent: $(cat "$work/said")"
    done
    # One library of an agent and us.
    PKG_CONFIG_PATH=$root/lib/pkgconfig pkg-config --cflags --libs jvmpi >"$work/words" || fail "no jvmpi.pc"
    # shellcheck disable=SC2046 # words for the compiler
    cc -shared -fPIC -o "$work/java/libone.so" legacy-agents/examples/counter.c legacy-agents/shared/*.c \
        -Ilegacy-agents/shared -I"$jdk/include" -I"$jdk/include/linux" $(cat "$work/words")
    run java -agentpath:./libone.so Busy >"$work/said" 2>&1 || fail "one library: $(cat "$work/said")"
    has "^thread .* executed" "$work/said"
    run xrun doctor hprof >"$work/said" || fail "doctor: $(cat "$work/said")"
    for file in include/xrun/jvmpi.h include/xrun/xrun_saw.h share/man/man1/xrun.1.gz share/man/man1/xrun-trace.1.gz \
        share/bash-completion/completions/xrun share/zsh/vendor-completions/_xrun \
        share/fish/vendor_completions.d/xrun.fish share/doc/xrun/copyright share/doc/xrun/docs/recipes.md; do
        [ -s "$root/$file" ] || fail "no $file"
    done
    has "Apache License" "$root/share/doc/xrun/copyright"
    # What documents lead to is there.
    python3 - "$root/share/doc/xrun" >"$work/said" <<'PYTHON' || fail "documents lead nowhere: $(cat "$work/said")"
import pathlib, re, sys
missing = [
    f"{document}: {target}"
    for document in pathlib.Path(sys.argv[1]).rglob("*.md")
    for target in re.findall(r"\]\(([^)#:\s]+)[)#]", document.read_text(encoding="utf-8"))
    if not (document.parent / target).exists()
]
print(*missing, sep="\n")
sys.exit(bool(missing))
PYTHON
    for file in "$root"/lib/xrun/*; do
        case $file in *.a) continue ;; esac
        readelf -S "$file" >"$work/said"
        ! grep -q ' \.debug_info' "$work/said" || fail "$file has debug information"
        has ' \.gnu_debuglink' "$work/said"
        readelf -d "$file" >"$work/said"
        ! grep -E '(RPATH|RUNPATH)' "$work/said" || fail "$file looks for libraries elsewhere"
        # It is for the C library of another width, whatever that is here.
        case $file in *xrun-host32) continue ;; esac
        newest=$(objdump -T "$file" | sed -n 's/.*GLIBC_\([0-9.]*\).*/\1/p' | sort -Vu | tail -n 1)
        [ "$(printf '%s\n2.28\n' "$newest" | sort -V | tail -n 1)" = 2.28 ] || fail "$file needs glibc $newest"
    done
done
dpkg-deb -f "$deb" Package Version Depends >"$work/said"
has "^Version: $version\$" "$work/said"

# installed SUITE JDK: in a Debian of its own, where one can be made, with a JDK that its glibc runs.
installed() {
    root=$work/$1
    if [ ! -x "$2/bin/java" ] || [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null ||
        ! unshare --mount true 2>/dev/null || ! timeout 600 debootstrap --variant=minbase "$1" "$root" >"$work/said" 2>&1; then
        echo "package: not run: installing in Debian $1 (debootstrap, as root that may mount, and a JDK for it: $2)"
        return
    fi
    cp "$deb" "$root/xrun.deb"
    mkdir "$root/jdk" "$root/work"
    # Links of Debian's JDKs lead to /etc, which is another one there.
    cp -aL "$2/." "$root/jdk/" 2>/dev/null || true
    cp "$work/java/Busy.class" "$root/work/"
    chroot "$root" dpkg -i /xrun.deb >"$work/said" 2>&1 || fail "$1: dpkg -i: $(cat "$work/said")"
    # What is mounted is gone with the process, before anything is removed.
    unshare --mount chroot "$root" env -i PATH=/usr/bin:/bin:/jdk/bin sh -c \
        'mount -t proc proc /proc && cd /work && exec xrun java -Xrunhprof:cpu=samples Busy' >"$work/said" 2>&1 ||
        fail "$1: it does not run: $(cat "$work/said")"
    has "^done " "$work/said"
    has "^CPU SAMPLES BEGIN" "$root/work/java.hprof.txt"
    echo "package: installed in Debian $1 as well ($(chroot "$root" ldd --version | head -n 1))"
}
installed bookworm "$jdk"
# An older glibc, for which Debian's own JDK of today is too new.
installed bullseye "$PWD/.jdks/21"
echo "package: ok"

#!/bin/sh
# Makes the class files of corpus/ (committed) from the sources beside this
# script: with Debian's ecj, which still compiles for Java 1.1, a JDK 17 and, in $JDK_28,
# a JDK 28, which has value classes as a preview.
set -e
cd "$(dirname "$0")"
work=$(mktemp -d)
take() {
    for file in "$work"/*.class; do
        mv "$file" "corpus/$1-$(basename "$file")"
    done
}
for target in 1.1 1.4; do
    ecj -nowarn -g -source 1.3 -target $target -d "$work" Period.java
    take "ecj$target"
done
ecj -proc:none -nowarn -g -source 1.6 -target 1.6 -d "$work" Period.java
take ecj1.6
javac -nowarn -g --release 17 -d "$work" Modern.java
take javac17
"${JDK_28:?}/bin/javac" -nowarn -g --release 28 --enable-preview -d "$work" Value.java
take javac28
rmdir "$work"

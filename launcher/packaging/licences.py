#!/usr/bin/env python3
"""Prints the licences of what is linked into some packages of the workspace: ours, and for each
crate from elsewhere its name, version, licence and the texts that lie in its sources.

    launcher/packaging/licences.py TRIPLE PACKAGE…

Fails if a crate has no licence. What only runs while
building (build scripts, procedural macros, tests) is not in the product and not listed.
"""
import glob, json, os, subprocess, sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))


def linked(metadata, roots):
    """The packages that are linked into these, by their ids."""
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    packages = {package["id"]: package for package in metadata["packages"]}
    todo = [id for id in metadata["workspace_members"] if packages[id]["name"] in roots]
    assert len(todo) == len(roots), f"not all of {roots} are packages"
    seen = set()
    while todo:
        id = todo.pop()
        kinds = {kind for target in packages[id]["targets"] for kind in target["kind"]}
        if id in seen or "proc-macro" in kinds:
            continue
        seen.add(id)
        for dep in nodes[id]["deps"]:
            if any(kind["kind"] is None for kind in dep["dep_kinds"]):
                todo.append(dep["pkg"])
    return [packages[id] for id in seen]


def texts(package):
    folder = os.path.dirname(package["manifest_path"])
    found = []
    for pattern in ("LICEN[SC]E*", "COPYING*", "UNLICENSE*", "NOTICE*"):
        found += [path for path in glob.glob(f"{folder}/{pattern}") if os.path.isfile(path)]
    return {os.path.basename(path): open(path, encoding="utf-8").read().strip() for path in sorted(found)}


def main():
    triple, *roots = sys.argv[1:]
    command = ["cargo", "metadata", "--format-version=1", "--locked", "--filter-platform", triple]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
    packages = linked(metadata, roots)
    theirs = sorted((p for p in packages if p["source"]), key=lambda p: (p["name"], p["version"]))
    print("xrun is licensed under MIT or Apache-2.0, at your choice.\n")
    for name in ("LICENSE-MIT", "LICENSE-APACHE"):
        print(f"---- {name}\n\n{open(f'{ROOT}/{name}').read().strip()}\n")
    print("It contains Rust's standard library (MIT or Apache-2.0, https://www.rust-lang.org),\n"
          "the stack unwinder of LLVM (Apache-2.0 with the LLVM exception), and these crates:\n")
    for package in theirs:
        assert package["license"], f"{package['name']} has no licence"
        print(f"  {package['name']} {package['version']}: {package['license']}")
    print()
    # Each text once, with all that it is of.
    of, without = {}, []
    for package in theirs:
        found = texts(package)
        if not found:
            without.append(package["name"])
        for text in found.values():
            of.setdefault(text, []).append(package["name"])
    for text, names in of.items():
        print(f"---- {', '.join(dict.fromkeys(names))}\n\n{text}\n")
    if without:
        print(f"---- {', '.join(without)}\n\nThe sources of these have no text of their own; those above are of the same licences.")


main()

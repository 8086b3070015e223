#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# packaging/release.sh BUILD RELEASE FOLDER [ADDRESS]: what is published, in FOLDER: the release, its SHA256,
# what it is made of (SPDX), and the recipes with that SHA256 and with the address where it can be had.  And
# releases/VERSION, for packaging/releases, so that tests/scripts/upgrade.sh runs a program of that release.
# `make release` calls it.
set -eu
build=$1 release=$2 folder=$3 address=${4:-https://mpiortho.invalid}
here=$(cd "$(dirname "$0")" && pwd)
name=$(basename "$release")
rm -rf "$folder"
mkdir -p "$folder"
cp -p "$release" "$folder"
(cd "$folder" && sha256sum "$name" >"$name.sha256")
sum=$(cut -d' ' -f1 "$folder/$name.sha256")
"$here/sbom.sh" "$build" "$folder/$name" >"$folder/${name%.tar.xz}.spdx.json"
nothing=$(printf '%064d' 0)
for recipe in spack/package.py conda/recipe.yaml conda/variants.yaml easybuild/*.eb container/Dockerfile; do
    for file in "$here"/$recipe; do
        to=$folder/${file#"$here"/}
        mkdir -p "$(dirname "$to")"
        sed -e "s/$nothing/$sum/" -e "s,https://mpiortho.invalid,$address," "$file" >"$to"
    done
done
version=${name#mpiortho-} && kept=$folder/releases/${version%.tar.xz}
mkdir -p "$kept"
cp "$here/../include/mpiortho.h" "$here/../tests/mpi/c99_test.c" "$build/libmpiortho.map" "$kept"

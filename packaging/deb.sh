#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# packaging/deb.sh RELEASE FOLDER [OPTION...]: Debian's packages of a release, mpiortho-VERSION.tar.xz, in
# FOLDER, by dpkg-buildpackage with these options.  debian/ is packaging/debian of the release.
# It needs dpkg-dev, and what dpkg-buildpackage says is missing.
# Tested with Debian 12 by tests/scripts/deb.sh.
set -eu
release=$1 folder=$2
shift 2
name=$(basename "$release" .tar.xz)
version=${name#mpiortho-}
mkdir -p "$folder"
cp "$release" "$folder/mpiortho_$version.orig.tar.xz"
rm -rf "$folder/$name"
tar -C "$folder" -xf "$release"
cd "$folder/$name"
cp -R packaging/debian debian
dpkg-buildpackage -us -uc "$@"

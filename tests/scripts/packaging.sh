# SPDX-License-Identifier: BSD-3-Clause
# The release and its recipes: equal bytes each time, the version of configure.ac, options that configure has.
unset MAKEFLAGS MFLAGS MAKELEVEL LD_PRELOAD
packaging=$srcdir/packaging
version=$(sed -n 's/^AC_INIT(\[mpiortho\], \[\([^]]*\)\].*/\1/p' "$srcdir/configure.ac")
name=mpiortho-$version.tar.xz

# Each recipe says its version once, in words of its own.
versions() {
    sed -n '1s/^mpiortho (\(.*\)-[0-9]*) .*/\1/p' "$packaging/debian/changelog"
    sed -n 's/^    version("\([^"]*\)".*/\1/p' "$packaging/spack/package.py"
    sed -n 's/^  version: "\(.*\)"$/\1/p' "$packaging/conda/recipe.yaml"
    sed -n "s/^version = '\(.*\)'\$/\1/p" "$packaging"/easybuild/*.eb
    sed -n 's/^ARG VERSION=//p' "$packaging/container/Dockerfile"
    sed -n 's/^version = "\(.*\)"$/\1/p' "$srcdir/python/pyproject.toml"
}
versions_are_right() {
    versions
    [ "$(versions | wc -l)" = 6 ] && [ "$(versions | sort -u)" = "$version" ] &&
        ls "$packaging/easybuild/mpiortho-$version"-*.eb
}
# Names of options, without what stands before them.
has_no_others() {
    "$srcdir/configure" --help | grep -oE '^  --(enable|disable|with|without)-[a-z0-9-]+' |
        sed 's/^  --[a-z]*-//' | sort -u >"$work/has"
    {
        grep -rhoE -e '--(enable|disable|with|without)-[a-z0-9]+' "$packaging" | sed 's/^--[a-z]*-//'
        sed -n 's/.*\(with_or_without\|enable_or_disable\)("\([a-z]*\)").*/\2/p' "$packaging/spack/package.py"
    } | sort -u >"$work/named"
    [ "$(wc -l <"$work/named")" -ge 4 ] && [ -z "$(comm -13 "$work/has" "$work/named")" ] ||
        { comm -13 "$work/has" "$work/named"; return 1; }
}
are_python() {
    for file in "$packaging/spack/package.py" "$packaging"/easybuild/*.eb; do
        python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$file" || return 1
    done
}
say_how_they_were_tested() {
    for file in "$packaging"/*/package.py "$packaging"/*/recipe.yaml "$packaging"/*/*.eb \
        "$packaging"/*/Dockerfile "$packaging/deb.sh"; do
        head -n 10 "$file" | grep -qiE '^# (Tested|Not tested)' || { echo "$file"; return 1; }
    done
}
# Files may be newer, or another user's.
twice() {
    for time in first second; do
        XZ_OPT=-0 $MAKE -s -C "$builddir" dist && mv "$builddir/$name" "$work/$time.xz" || return 1
        umask 077
    done
    cmp "$work/first.xz" "$work/second.xz"
}
holds_all() {
    tar -tf "$work/first.xz" >"$work/names" &&
        for file in configure fortran/module.f90 python/pyproject.toml python/src/core.c doc/abi.md \
            packaging/debian/control packaging/spack/package.py; do
            grep -qx "mpiortho-$version/$file" "$work/names" || { echo "no $file"; return 1; }
        done
}
published() {
    cp "$work/first.xz" "$work/$name" &&
        "$packaging/release.sh" "$builddir" "$work/$name" "$work/release" https://example.org/mpiortho &&
        (cd "$work/release" && sha256sum -c "$name.sha256") || return 1
    sum=$(sha256sum <"$work/$name" | cut -d' ' -f1)
    for file in package.py recipe.yaml 'mpiortho-*.eb'; do
        find "$work/release" -name "$file" -exec cat {} + | grep "$sum" || { echo "no SHA256 in $file"; return 1; }
    done
    ! grep -r 'mpiortho\.invalid' "$work/release" --exclude=*.xz
}
tells_what_it_is_made_of() {
    python3 - "$work/release/mpiortho-$version.spdx.json" "$work/$name" <<'PYTHON'
import hashlib, json, sys
told = json.load(open(sys.argv[1]))
packages = {package["SPDXID"]: package for package in told["packages"]}
assert packages["SPDXRef-mpiortho"]["checksums"] == [
    {"algorithm": "SHA256", "checksumValue": hashlib.sha256(open(sys.argv[2], "rb").read()).hexdigest()}]
assert "SPDXRef-MPI" in packages
known = {"SPDXRef-DOCUMENT", *packages}
for relation in told["relationships"]:
    assert {relation["spdxElementId"], relation["relatedSpdxElement"]} <= known, relation
PYTHON
}

check "all recipes are for this version" versions_are_right
check "configure has their options" has_no_others
check "what is Python parses" are_python
check "each says how it was tested" say_how_they_were_tested
check "a release made twice has the same bytes" twice
check "it holds all parts" holds_all
check "the recipes get its SHA256" published
check "it tells what it is made of" tells_what_it_is_made_of

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# packaging/sbom.sh BUILD RELEASE: what the release is made of and needs (SPDX 2.3, JSON), on standard output.
# BUILD is a configured folder, whose facts it tells; `make release` calls it.
set -eu
build=$1 release=$2
fact() { sed -n "s/^$1 = *//p" "$build/Makefile" | head -n 1; }
version=$(fact PACKAGE_VERSION)
sum=$(sha256sum "$release" | cut -d' ' -f1)
created=$(date -u -d "@${SOURCE_DATE_EPOCH:-$(stat -c %Y "$release")}" +%Y-%m-%dT%H:%M:%SZ)
# package NAME VERSION LICENSE SUPPLIER: a package of others.
package() {
    id=$(printf %s "$1" | tr -c 'A-Za-z0-9.-' '-')
    cat <<JSON
    {
      "name": "$1",
      "SPDXID": "SPDXRef-$id",
      "versionInfo": "$2",
      "supplier": "$4",
      "downloadLocation": "NOASSERTION",
      "filesAnalyzed": false,
      "licenseConcluded": "NOASSERTION",
      "licenseDeclared": "$3",
      "copyrightText": "NOASSERTION"
    },
JSON
}
# relation NAME HOW OF [,]
relation() {
    printf '    { "spdxElementId": "SPDXRef-%s", "relationshipType": "%s",\n' "$1" "$2"
    printf '      "relatedSpdxElement": "SPDXRef-%s" }%s\n' "$3" "${4-}"
}
modversion() { pkg-config --modversion "$1" 2>/dev/null || echo NOASSERTION; }
mpi=$(fact MPI_FLAVOUR)
compiler=$($(fact CXX | cut -d' ' -f1) -dumpfullversion 2>/dev/null || echo NOASSERTION)
libtool=$("$build/libtool" --version | sed -n '1s/.* //p')
has_hwloc=$(fact HWLOC_LIBS) has_fmt=$(fact FMT_LIBS) has_metis=$(fact METIS_LIBS)
has_cgns=$(fact CGNS_LIBS)
cat <<JSON
{
  "spdxVersion": "SPDX-2.3",
  "dataLicense": "CC0-1.0",
  "SPDXID": "SPDXRef-DOCUMENT",
  "name": "mpiortho-$version",
  "documentNamespace": "https://spdx.org/spdxdocs/mpiortho-$version-$sum",
  "creationInfo": {
    "created": "$created",
    "creators": ["Tool: mpiortho-packaging-sbom"]
  },
  "packages": [
JSON
package MPI "$mpi" NOASSERTION NOASSERTION
package libtool "$libtool" "GPL-2.0-or-later WITH Libtool-exception" "Organization: GNU"
[ -z "$has_hwloc" ] || package hwloc "$(modversion hwloc)" BSD-3-Clause NOASSERTION
[ -z "$has_fmt" ] || package fmt "$(modversion fmt)" MIT NOASSERTION
[ -z "$has_fmt" ] || package CLI11 "$(modversion CLI11)" BSD-3-Clause NOASSERTION
[ -z "$has_metis" ] || package METIS NOASSERTION Apache-2.0 NOASSERTION
[ -z "$has_cgns" ] || package CGNS NOASSERTION Zlib NOASSERTION
package libstdc++ "$compiler" "GPL-3.0-or-later WITH GCC-exception-3.1" "Organization: GNU"
cat <<JSON
    {
      "name": "mpiortho",
      "SPDXID": "SPDXRef-mpiortho",
      "versionInfo": "$version",
      "packageFileName": "$(basename "$release")",
      "supplier": "Organization: the mpiortho authors",
      "downloadLocation": "NOASSERTION",
      "filesAnalyzed": false,
      "checksums": [{ "algorithm": "SHA256", "checksumValue": "$sum" }],
      "licenseConcluded": "BSD-3-Clause",
      "licenseDeclared": "BSD-3-Clause",
      "copyrightText": "Copyright (c) 2026, the mpiortho authors"
    }
  ],
  "relationships": [
JSON
relation mpiortho DEPENDS_ON MPI ,
relation mpiortho DEPENDS_ON libstdc-- ,
[ -z "$has_hwloc" ] || relation hwloc OPTIONAL_DEPENDENCY_OF mpiortho ,
[ -z "$has_metis" ] || relation METIS OPTIONAL_DEPENDENCY_OF mpiortho ,
[ -z "$has_cgns" ] || relation CGNS OPTIONAL_DEPENDENCY_OF mpiortho ,
[ -z "$has_fmt" ] || relation fmt OPTIONAL_DEPENDENCY_OF mpiortho ,
[ -z "$has_fmt" ] || relation CLI11 BUILD_DEPENDENCY_OF mpiortho ,
relation mpiortho CONTAINS libtool ,
relation DOCUMENT DESCRIBES mpiortho
printf '  ]\n}\n'

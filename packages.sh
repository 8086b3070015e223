# SPDX-License-Identifier: BSD-3-Clause
# What demo.sh and check.sh share: Debian's packages, and one way to configure.  Sourced from the
# root of the tree.
source=$PWD
packages_to_build="g++ make autoconf automake libtool pkg-config libcli11-dev libfmt-dev libpng-dev libhwloc-dev"
packages_to_simulate=libsimgrid-dev
packages_to_test="gfortran libgtest-dev libmetis-dev mandoc man-db git iproute2 cmake clang-format-14 clang-16 libtrilinos-kokkos-dev time python3-venv"

# Installs those that are missing; without root, by sudo.
install_packages() {
    missing=
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q ' installed$' || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    echo "Installing:$missing"
    as_root=
    [ "$(id -u)" = 0 ] || as_root=sudo
    $as_root apt-get update -qq
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

# configure_in FOLDER OPTION...: configures there, once.
configure_in() {
    folder=$1
    shift
    [ -x configure ] || autoreconf -fi >/dev/null
    [ ! -f "$folder/config.status" ] || return 0
    mkdir -p "$folder"
    (cd "$folder" && "$source/configure" -q "$@")
}

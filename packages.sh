# SPDX-License-Identifier: BSD-3-Clause
# What demo.sh and check.sh share: Debian's packages, and one way to configure.  Sourced from the
# root of the tree.
source=$PWD
packages_to_build="g++ make autoconf automake libtool pkg-config libcli11-dev libfmt-dev libpng-dev libhwloc-dev"
packages_to_simulate=libsimgrid-dev
packages_to_test="gfortran libgtest-dev libmetis-dev libcgns-dev mandoc man-db git iproute2 cmake clang-format-14 clang-16 libclang-rt-16-dev libtrilinos-kokkos-dev libeigen3-dev libxtensor-dev libboost-dev time python3-venv spin cppcheck
    python3-sphinx python3-myst-parser furo"
# Debian packages: tests/scripts/deb.sh.
packages_to_package="dpkg-dev debhelper lintian abigail-tools mmdebstrap libcli11-dev libfmt-dev
    mpich libmpich-dev openmpi-bin libopenmpi-dev mandoc python3-sphinx python3-myst-parser furo"
# Programs of others that call neighborhood collectives, or MPI_Alltoall: tests/foreign.
packages_foreign="openmpi-bin libopenmpi-dev petsc-dev libpetsc3.18-dev-examples fenicsx-performance-tests
    python3-mpi4py libfftw3-dev libfftw3-mpi-dev libdolfinx-real-dev lammps cp2k cp2k-data"
# Libraries of others that do the same work: bench/peers.
packages_peers="petsc-dev libp4est-dev libhypre-dev libtrilinos-tpetra-dev libdeal.ii-dev libdolfinx-dev
    libboost-dev"

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

# fetch_mpi NAME: the newest mpich, openmpi or Intel's MPI, named mpich-today, openmpi-today or intel-today, into
# build/NAME; sets MPICC, MPICXX and MPIEXEC.  abi-today is mpich-today with its compilers for the standard ABI.
fetch_mpi() {
    of_abi=
    packages=${1%-today}
    case $1 in
    intel-today)
        packages="impi-rt impi-devel"
        export I_MPI_ROOT="$source/build/$1" # for its compilers
        ;;
    abi-today)
        set -- mpich-today
        packages=mpich of_abi=_abi
        ;;
    esac
    bin=$source/build/$1/bin
    MPICC=$bin/mpicc$of_abi MPICXX=$bin/mpicxx$of_abi MPIEXEC=$bin/mpiexec
    python3 -m venv "build/$1" && "$bin/pip" -q install --upgrade $packages
}

# fetch_clang_tidy FOLDER: Debian 12's does not understand the ranges of its own standard library.
fetch_clang_tidy() { python3 -m venv "$1" && "$1/bin/pip" -q install clang-tidy==19.1.0; }

# fetch_tests BUILD: the tests of others, which Debian's packages do not have, into BUILD/foreign.
fetch_tests() {
    fetch_mpi4py_tests "$1" && fetch_sources "$1/foreign" hypre && fetch_sources "$1/foreign" p4est
}
# fetch_sources FOLDER PACKAGE: the sources of a Debian package, into FOLDER/PACKAGE, from where the system
# has its packages.
fetch_sources() {
    [ ! -d "$1/$2" ] || return 0
    (
        folder=$1 package=$2
        mkdir -p "$folder/$package.apt/lists/partial" && cd "$folder/$package.apt" && . /etc/os-release &&
            apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' \
                "Created-By: Packages" "Codename: $VERSION_CODENAME" "Component: main" >sources.list && [ -s sources.list ] || exit 1
        set -- -q -o "Dir::Etc::sourcelist=$PWD/sources.list" -o Dir::Etc::sourceparts=/dev/null \
            -o "Dir::State::lists=$PWD/lists"
        apt-get "$@" update && apt-get "$@" source --download-only "$package" && mkdir -p unpacked &&
            tar -C unpacked -xf "$package"_*.orig.tar.* && mv unpacked/* "../$package"
    )
}
# fetch_mpi4py_tests FOLDER: mpi4py's own tests, which Debian's package does not have, into FOLDER/foreign.
fetch_mpi4py_tests() {
    version=$(dpkg-query -W -f '${Version}' python3-mpi4py) || return 1
    version=${version%-*}
    [ ! -f "$1/foreign/mpi4py-$version/test/runtests.py" ] || return 0
    mkdir -p "$1/foreign" && python3 -m venv "$1/foreign/pip" &&
        "$1/foreign/pip/bin/pip" -q download --no-deps --no-binary :all: -d "$1/foreign" "mpi4py==$version" &&
        tar -C "$1/foreign" -xzf "$1/foreign/mpi4py-$version.tar.gz"
}

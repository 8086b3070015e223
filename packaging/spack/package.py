# SPDX-License-Identifier: BSD-3-Clause
# Spack's recipe: put it into packages/mpiortho/package.py of a repository of recipes.
# Tested: it is Python, and configure has its options (tests/scripts/packaging.sh).  Not tested with Spack.
# `make release` puts the SHA256 of the release, and its address, in place of those below.
from spack.package import *


class Mpiortho(AutotoolsPackage):
    """Halos and collectives on grids and graphs of MPI processes."""

    homepage = "https://mpiortho.invalid/"
    url = "https://mpiortho.invalid/mpiortho-0.3.0.tar.xz"

    license("BSD-3-Clause")

    version("0.3.0", sha256="0000000000000000000000000000000000000000000000000000000000000000")

    variant("hwloc", default=True, description="Place ranks on the parts of a node's memory, too")
    variant("fortran", default=True, description="Module mpiortho for Fortran 2018 (gfortran)")
    variant("programs", default=False, description="ortho-plan, ortho-bench and ortho-conform")
    variant("static", default=False, description="Static libraries, too")
    variant("abi", default=False, description="For the standard ABI of MPI 5: runs on each MPI that has it")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi@3.1:")
    depends_on("hwloc@2:", when="+hwloc")
    depends_on("cli11", type="build", when="+programs")
    depends_on("fmt", when="+programs")
    depends_on("mpich@5:", when="+abi")

    conflicts("+fortran", when="+abi", msg="C of the standard ABI knows no handles of Fortran's")
    conflicts("%gcc@:10", msg="It is C++20")
    conflicts("+fortran", when="%clang", msg="The module is for gfortran; flang compiles it from its source")

    def configure_args(self):
        mpi = self.spec["mpi"]
        mpicc = join_path(mpi.prefix.bin, "mpicc_abi") if "+abi" in self.spec else mpi.mpicc
        args = [f"MPICC={mpicc}"]
        if "~abi" in self.spec:
            args.append(f"MPICXX={mpi.mpicxx}")
        if "+fortran" in self.spec:
            args.append(f"MPIFC={mpi.mpifc}")
        args += self.with_or_without("hwloc")
        args += self.enable_or_disable("fortran")
        args += self.enable_or_disable("programs")
        args += self.enable_or_disable("static")
        return args

    def setup_run_environment(self, env):
        env.prepend_path("PKG_CONFIG_PATH", join_path(self.prefix.lib, "pkgconfig"))

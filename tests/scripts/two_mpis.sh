# SPDX-License-Identifier: BSD-3-Clause
# A program that was built with one MPI meets another MPI: that is said, in words.  Needs Debian's MPICH and
# Open MPI side by side.

case $flavour in
openmpi) other=mpich ours="Open MPI" theirs=MPICH ;;
*) other=openmpi ours=MPICH theirs="Open MPI" ;; # and its kin
esac
built_with=$ours
[ "$flavour" != intel ] || built_with="Intel's MPI"
case $flavour in
abi) two="this program has loaded libmpi.*, and this libmpiortho.so is built for the standard ABI" ;;
*) two="this libmpiortho-pmpi.so is built with $built_with, and the program runs on another MPI, .*$theirs" ;;
esac
there() { command -v mpicc.$other && command -v mpiexec.$other; }
says() { grep -e "$1" "$work/output" || { cat "$work/output"; return 1; }; }

# The linker misses a symbol that has the name of the program's MPI.
linked() {
    printf '#include <mpiortho.h>\nint main(void) { return ORTHO_Get_version(0, 0, 0); }\n' >"$work/program.c"
    ! mpicc.$other -I"$srcdir/include" "$work/program.c" -o "$work/program" -L"$builddir/.libs" -lmpiortho >"$work/output" 2>&1 &&
        says "mpiortho_is_not_built_with_$(echo "$theirs" | tr ' ' _)"
}
preload_it() {
    mpicc.$other -std=c11 -w "$srcdir/tests/pmpi/unify.c" -o "$work/plain" || return 1
    env LD_PRELOAD="$builddir/.libs/libmpiortho-pmpi.so" timeout 60 "$work/plain" all >"$work/output" 2>&1
    status=$?
}
preloaded() { [ $status = 1 ] && says "mpiortho: $two"; }
mpi_refuses() { grep -q 'unsupported PMI version' "$work/output"; } # MPICH 5, before we are asked
launch_it() { timeout 60 mpiexec.$other -n 2 "$builddir/tests/mpi/naming_test" >"$work/output" 2>&1; }
launched() { # one line, not one a process
    says "^mpiortho: this program is built with $ours, but the mpiexec of $theirs has started 2 processes, each of which runs alone" &&
        [ "$(grep -c '^mpiortho: this program' "$work/output")" = 1 ]
}
by_srun() { # with the variables that srun sets
    timeout 60 env SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=$1 "$builddir/tests/mpi/naming_test" >"$work/output" 2>&1
}
alone_by_srun() {
    by_srun 0 && says "^mpiortho: this program is built with $ours, and srun has started 4 processes, each of which runs alone" &&
        by_srun 1 && ! grep '^mpiortho: this program' "$work/output"
}
alone() { # no launcher, or one that starts one
    timeout 60 "$builddir/tests/mpi/naming_test" >"$work/output" 2>&1 || { cat "$work/output"; return 1; }
    timeout 60 mpiexec.$other -n 1 "$builddir/tests/mpi/naming_test" >>"$work/output" 2>&1 || mpi_refuses || { cat "$work/output"; return 1; }
    ! grep '^mpiortho: this program' "$work/output"
}

check "there is another MPI" there
check "a program of the other MPI's does not link" linked
if [ -z "$sanitizers" ]; then
    status=
    preload_it
    # Open MPI 5's wheel and Debian's MPICH bring libraries of one name.
    if grep -q 'symbol lookup error' "$work/output"; then
        left_out "the interposer of one MPI tells a program of the other" "the loader speaks first"
    else
        check "the interposer of one MPI tells a program of the other" preloaded
    fi
    launch_it
    if mpi_refuses; then
        left_out "the launcher of the other MPI is told of" "the MPI speaks first"
    else
        check "the launcher of the other MPI is told of" launched
    fi
    check "processes that srun has started each alone are told of" alone_by_srun
    check "a process that is alone is no mistake" alone
fi

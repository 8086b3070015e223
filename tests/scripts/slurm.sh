# SPDX-License-Identifier: BSD-3-Clause
# The commands of doc/cluster.md on a small Slurm of two nodes (tests/slurm/slurm.sh), those for this MPI.
chmod 755 "$work"
unset LD_PRELOAD
mkdir "$work/bin"
# The commands of the page, as they stand there: mpiexec and pkg-config are those of this build.
printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v "$MPIEXEC")" >"$work/bin/mpiexec"
printf '#!/bin/sh\necho %s\n' "$builddir/.libs/libmpiortho-pmpi.so" >"$work/bin/pkg-config"
printf '#!/bin/sh\nexec %s "$@"\n' "$builddir/tools/ortho-bench" >"$work/bin/ortho-bench"
chmod 755 "$work"/bin/*
commands() { sed -n "s|^    \(.*$1\)\$|\1|p" "$srcdir/doc/cluster.md"; } # that end so
compiles() { # source, program, library
    $MPICC -I"$srcdir/include" "$srcdir/$1" -o "$work/$2" ${3:+-L"$builddir/.libs" -lmpiortho -Wl,-rpath,"$builddir/.libs"} \
        >"$work/out" 2>&1 || { cat "$work/out"; return 1; }
}
# A job of MPICH may not end (56 of mpi-bugs.md): then what it has said counts.
in_slurm() { # command
    (cd "$work" && PATH="$work/bin:$PATH" timeout -k 10 120 sh "$srcdir/tests/slurm/slurm.sh" -- timeout 40 sh -c "$1") \
        >"$work/out" 2>&1 || grep -q '^srun: forcing job termination$' "$work/out" && [ -n "$1" ] || { cat "$work/out"; return 1; }
}
owners() { # command: all lines that README.md shows
    in_slurm "$1" || return 1
    sed -n 's/^    \(rank [0-9]: .*\)/\1/p' "$srcdir/README.md" | sort >"$work/expected"
    grep '^rank' "$work/out" | sort | diff "$work/expected" - || { cat "$work/out"; return 1; }
}
# The hosts of ortho-plan: any program will do.
placed() {
    "$builddir/tools/ortho-plan" place --grid 2x4 --nodes 4 --hosts h0,h1 --hostfile "$work/places" \
        >"$work/out" || return 1
    in_slurm 'SLURM_HOSTFILE=places srun --mpi=none --distribution=arbitrary -n 8 \
        sh -c "echo \$SLURM_PROCID \$(hostname)"' || return 1
    sort -n "$work/out" | cut -d' ' -f2 | diff "$work/places" -
}
[ ! -x "$builddir/tools/ortho-plan" ] || check "srun: ranks where ortho-plan places them" placed
check "ghosts.c compiles" compiles examples/ghosts.c ghosts library
case $flavour in
mpich)
    check "srun" owners "$(commands 'srun .*[0-9] ./ghosts')"
    batch() {
        printf '#!/bin/sh\n#SBATCH --nodes=2 --ntasks=4 --output=batch.out\n%s\n' "$(commands 'srun .*[0-9] ./ghosts')" >"$work/job"
        owners "sbatch --wait job && cat batch.out"
    }
    check "sbatch" batch
    explained() { in_slurm "ORTHO_EXPLAIN=1 $(commands 'srun .*[0-9] ./ghosts')" && grep -q 'nodes: 2, ' "$work/out"; }
    check "… the library sees both nodes" explained
    check "a program that knows nothing of the library compiles" compiles tests/pmpi/neighbor.c program ""
    interposed() {
        in_slurm "export ORTHO_PMPI_REPORT=1 ORTHO_PMPI_PAIRING=standard; $(commands 'srun .* ./program')" &&
            grep -q ' checks, 0 wrong$' "$work/out" && grep -q '^  MPI_Neighbor_alltoallv  *[1-9]' "$work/out" ||
            { cat "$work/out"; return 1; }
    }
    check "the interposer through srun" interposed
    doctor() { in_slurm "$(commands 'srun .* ortho-bench doctor') --budget-s 0.2" && grep -qi '2 nodes' "$work/out" || { cat "$work/out"; return 1; }; }
    [ ! -x "$builddir/tools/ortho-bench" ] || check "ortho-bench doctor" doctor
    ;;
openmpi) check "salloc and mpiexec" owners "$(commands 'salloc .* ./ghosts')" ;;
*) echo "# no commands for $flavour" ;;
esac

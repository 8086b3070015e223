# SPDX-License-Identifier: BSD-3-Clause
# The interposer: programs that know nothing of mpiortho, in C and Fortran, with it and without.
export $without_single_copies # tests/pmpi/requests

. "$srcdir/tests/interposed.sh"
# Most programs expect what the standard says.
export ORTHO_PMPI_PAIRING=standard

if elsewhere; then on=3 bindings=F08; else on=$(few 1 2 3 4) bindings="MPIF MPI F08"; fi
[ "$flavour" != intel ] || bindings=MPIF # it has no mpi_f08 for gfortran
for p in $(if thorough || elsewhere; then echo $on; else echo 1 2; fi); do
    check "grids and graphs on $p processes" with "" $p tests/pmpi/neighbor
done
# These MPIs are wrong, so that it can be seen that the interposer is what makes the difference.
case $($MPIEXEC --version 2>&1 | head -n 3 | tr '\n' ' ') in
*"(OpenRTE) 4."* | *"(Open MPI) 4."* | *" 4.0."*)
    delivers() { # what, command...: fails, and says why
        what=$1
        shift
        ! "$@" >"$work/out" 2>&1 && grep -e "$what" "$work/out" || { cat "$work/out"; return 1; }
    }
    wrong='^wrong: '
    # A block in the place of another may be too long for it, which mpiortho tells.
    swapped="$wrong\\|room for \\([0-9]* \\)*in slot"
    check "without it this MPI is wrong" delivers "$wrong" on 2 tests/pmpi/neighbor
    check "and with it switched off" delivers "$wrong" with ORTHO_PMPI=off 2 tests/pmpi/neighbor
    check "and where its own pairing is asked for" delivers "$swapped" with ORTHO_PMPI_PAIRING=native 2 tests/pmpi/neighbor
    check "which is what programs get unasked" delivers "$swapped" with ORTHO_PMPI_PAIRING= 2 tests/pmpi/neighbor ;;
*) left_out "without the interposer" "what this MPI makes of neighborhood collectives is not known" ;;
esac
many=$((40000 / ${ORTHO_TEST_ONE_IN:-1}))
for p in $on; do
    check "requests on $p processes" says '^0 wrong$' with "" $p tests/pmpi/requests errors $many
done
check "a program with calls on requests of its own" says '^0 wrong$' with "" 2 tests/pmpi/own_calls
check "which is told what it misses" says 'mpiortho: MPI_Wait is that of .*: non-blocking and persistent calls are left to MPI' \
    with "" 2 tests/pmpi/own_calls
for p in $(elsewhere || echo 1 2) 3; do
    check "copies whose first call does not wait, on $p processes" says '^0 wrong$' with "" $p tests/pmpi/copies
done
check "blocks of one size that is sent, and one that is received" says '^0 wrong$' with "" 4 tests/pmpi/sizes
check "none of them is left to MPI" says '^  MPI_Ineighbor_alltoall  *[1-9][0-9]*  *[0-9.]*  *0$' with ORTHO_PMPI_REPORT=1 3 tests/pmpi/requests
tells_of_long_waits() {
    with ORTHO_STALL_S=1 2 tests/pmpi/requests late >"$work/out" 2>&1 && grep '^0 wrong$' "$work/out" &&
        grep 'MPI_Waitany on this process: rank 0 has waited 1 s' "$work/out" &&
        grep 'MPI_Waitsome on this process: rank 0 has waited 1 s' "$work/out" || { cat "$work/out"; return 1; }
}
check "long waits for one of several are told of" tells_of_long_waits
by_shared_memory() { # program, communicators: all that it does, whichever constructor made the communicator
    # Apart: mpiexec passes on what it has read of either, which may end within a line.
    with "ORTHO_EXPLAIN=1 ORTHO_SHM=1" 3 "$1" >"$work/out" 2>"$work/explained" && grep '^0 wrong$' "$work/out" &&
        [ "$(grep -c 'sends 2 messages (through shared memory)' "$work/explained")" -eq $2 ] ||
        { cat "$work/out" "$work/explained"; return 1; }
}
# The communicator of MPI_Cart_sub waits for a call that may wait.
check "a program with non-blocking calls alone" by_shared_memory tests/pmpi/nonblocking 8
with_thread() { # which the interposer asks MPI for
    says '^0 wrong$' with ORTHO_PROGRESS=thread 3 tests/pmpi/nonblocking && ! grep mpiortho "$work/out" &&
        says '^0 wrong$' with ORTHO_PROGRESS=thread 3 tests/pmpi/requests errors $many && ! grep THREAD_MULTIPLE "$work/out"
}
check "a thread drives what programs start" with_thread
# Another build has what is said to users: reports, errors, modes, edges.
if ! elsewhere; then
    for program in copies errors requests; do
        check "without the interposer tests/pmpi/$program ends at once" says "runs with the interposer alone" \
            exits_with 77 on 1 tests/pmpi/$program
    done
    check "the report has the calls" says '^  MPI_Neighbor_alltoallw  *[1-9][0-9]*  *[0-9.]*  *0$' with ORTHO_PMPI_REPORT=1 2 tests/pmpi/neighbor
    check "there is no report unasked" fails says 'mpiortho' with ORTHO_PMPI_PAIRING= 1 tests/pmpi/neighbor
    check "the report has the calls whoever pairs blocks" says '^  MPI_Ineighbor_alltoallv  *[1-9][0-9]*  *[0-9.]*  *0$' \
        with "ORTHO_PMPI_REPORT=1 ORTHO_PMPI_PAIRING=native" 2 tests/pmpi/pairing
    # Whoever preloads a library wants the results that he had.
    pairs_as_mpi_does() { # processes, argument
        on $1 tests/pmpi/pairing ${2-} >"$work/plain" && with ORTHO_PMPI_PAIRING= $1 tests/pmpi/pairing ${2-} >"$work/ours" ||
            return 1
        [ -s "$work/plain" ] && diff "$work/plain" "$work/ours" >"$work/differences" ||
            { head -n 20 "$work/differences"; return 1; }
    }
    for p in 2 $(thorough && echo 1 3); do
        check "blocks of one neighbor go as the MPI has them, on $p processes" pairs_as_mpi_does $p
        ! thorough || check "also where the program swaps blocks, on $p processes" pairs_as_mpi_does $p swap
    done
    # MPICH has 2048 communicators.
    case $($MPIEXEC --version 2>&1 | head -n 1) in *HYDRA*) graphs=1900 copies=900 ;; *) graphs=300 copies=200 ;; esac
    check "many graphs on one communicator" says '^0 wrong$' with "" 2 tests/pmpi/many graph $graphs
    ! thorough || check "many grids on one communicator" says '^0 wrong$' with "" 2 tests/pmpi/many grid $graphs
    ! thorough || check "many communicators with a graph each" says '^0 wrong$' with "" 2 tests/pmpi/many copies $copies
    once() { # line, settings, arguments: the program ends, and that is all that is said
        ! with "$2" 3 tests/pmpi/errors $3 >"$work/out" 2>&1 && [ "$(grep -c '^mpiortho: ' "$work/out")" = 1 ] &&
            grep -x "mpiortho: $1" "$work/out" || { cat "$work/out"; return 1; }
    }
    told() { # the same, of mistakes that each process finds by itself
        ! with "$2" 3 tests/pmpi/errors $3 >"$work/out" 2>&1 && grep -x "mpiortho: $1" "$work/out" &&
            ! grep '^mpiortho: ' "$work/out" | grep -vx "mpiortho: $1" || { cat "$work/out"; return 1; }
    }
    same() { # processes that find one error have one code: settings, mistake
        with "$1" 3 tests/pmpi/errors $2 return >"$work/out" 2>&1 && [ "$(grep -c ', code ' "$work/out")" = 3 ] &&
            [ "$(grep ', code ' "$work/out" | sort -u | wc -l)" = 1 ] || { cat "$work/out"; return 1; }
    }
    check "a wrong count" told "MPI_Neighbor_alltoall: sendcount = -1 is negative \[rank . of 3\]" "" count
    check "the same where blocks are in another order" once "MPI_Neighbor_alltoall: sendcount = -1 is negative \[rank 0 of 3\]" \
        ORTHO_VERIFY=1 count
    check "a wrong rank in a graph" once \
        "MPI_Dist_graph_create_adjacent: on rank 2, sources\[0\] = 99 is no rank of a communicator of size 3 \[rank 0 of 'MPI_COMM_WORLD'\]" "" adjacent
    check "the same from another constructor" once \
        "MPI_Dist_graph_create: on rank 2, destinations\[0\] = 99 is no rank of a communicator of size 3 \[rank 0 of 'MPI_COMM_WORLD'\]" "" graph
    check "a wrong count of everybody" told "MPI_Alltoall: sendcount = -1 is negative \[rank . of 3\]" ORTHO_PMPI=dense alltoall
    check "a wrong count where collectives mean the neighborhood" told "MPI_Alltoall: sendcount = -1 is negative \[rank . of 3\]" \
        ORTHO_PMPI=unify alltoall
    check "an operation that fails is told by its name" told \
        "MPI_Ineighbor_allgather: on a communicator of 3 processes rank 2 sends 2 MPI_INT (8 bytes) in slot 0 to rank 0, which expects 1 MPI_INT (4 bytes) in slot 0 \[rank . of 3\]" \
        ORTHO_VERIFY=1 wait
    check "one error of all processes has one code" same "" adjacent
    check "also in the other constructor" same "" graph
    check "also where calls are verified" same ORTHO_VERIFY=1 verified
    check "constructors are counted" says '^  MPI_Cart_create  *1  *[0-9.]*  *0$' with ORTHO_PMPI_REPORT=1 2 tests/pmpi/errors none
    if nm -D --defined-only "$builddir/.libs/libmpiortho-pmpi.so" | grep -q ' T MPI_Neighbor_allgather_init$'; then
        check "a second start" told "MPI_Start: request is active already \[rank . of 3\]" "" start
        check "starts are counted" says '^    started  *100  *[0-9.]*  *0$' with ORTHO_PMPI_REPORT=1 2 tests/pmpi/errors starts
    fi
    said_once() { # line, command...
        line=$1
        shift
        says "$line" "$@" && [ "$(grep -c "$line" "$work/out")" = 1 ]
    }
    check "a misspelt mode is complained of once" said_once 'ORTHO_PMPI=dnse is none of neighbor, unify, dense, off; neighbor is taken' \
        with ORTHO_PMPI=dnse 3 tests/pmpi/errors none
    check "an unknown mode is complained of" says 'ORTHO_PMPI=sometimes is none of' with ORTHO_PMPI=sometimes 1 tests/pmpi/neighbor
    check "an unknown pairing is complained of" says 'ORTHO_PMPI_PAIRING=mine is none of native, standard; native is taken' \
        with ORTHO_PMPI_PAIRING=mine 1 tests/pmpi/pairing

    check "collectives are MPI's by themselves" says '^all$' on 3 tests/pmpi/unify all
    check "and with the interposer" says '^all$' with "" 3 tests/pmpi/unify all
    check "unify: they mean the neighborhood" says '^neighbors$' with ORTHO_PMPI=unify 3 tests/pmpi/unify neighbors
    check "unify on 2 processes" says '^neighbors$' with ORTHO_PMPI=unify 2 tests/pmpi/unify neighbors

    # Two nodes of two: processes of a column are on one only if they get other ranks.
    check "a program keeps its ranks, whatever it says" says '^0 moved, 0 wrong$' with ORTHO_NODES=2 4 tests/pmpi/reorder
    check "but not if it can do with others" says '^2 moved, 0 wrong$' with "ORTHO_NODES=2 ORTHO_PMPI_REORDER=1" 4 tests/pmpi/reorder

    check "messages go where they like" says '^0 of 1 refused$' with "" 3 tests/pmpi/strict 0
    check "strict: along edges alone" says '^\(5 of 5\|9 of 9\|14 of 14\) refused$' with ORTHO_STRICT=1 3 tests/pmpi/strict 1
    check "strict: who, where and to whom" says 'MPI_Irecv: source = [0-2]: process [0-2] has no edge from process [0-2] on the graph of the ring' \
        sh -c '! "$@"' sh timeout -k 10 "$limit" $MPIEXEC -n 3 env LD_PRELOAD="$preload" ORTHO_STRICT=1 tests/pmpi/strict 1 fatal

    # The report of a program for which there is nothing to do.
    cat >"$work/plain.c" <<'END'
#include <mpi.h>
int main(void)
{
    MPI_Init(0, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
END
    reports_nothing() { # modes, why
        says "^  nothing: $2\$" with "ORTHO_PMPI_REPORT=1 ORTHO_PMPI=$1" 2 "$work/plain"
    }
    check "a program without topologies compiles" ${MPICC%% *} $sanitizers -w "$work/plain.c" -o "$work/plain"
    no_topology="no call on a communicator that carries a topology"
    check "its report says that there was none" reports_nothing neighbor "$no_topology"
    check "and with dense what else was missing" reports_nothing dense "$no_topology, and no blocking alltoall or allgather"
    check "and with off that nothing is looked at" reports_nothing off "ORTHO_PMPI=off leaves all calls to MPI"
fi

several() {
    ${MPICC%% *} $sanitizers -std=c11 -w -rdynamic "$srcdir/tests/pmpi/status_of_several.c" -o "$work/several" \
        -L"$builddir/.libs" -lmpiortho-pmpi -Wl,-rpath,"$builddir/.libs" -Wl,-rpath-link,"$builddir/.libs" &&
        says '^0 wrong$' on 3 "$work/several"
}
newer() { # a program that takes what it finds
    ${MPICC%% *} $sanitizers -std=c11 -w "$srcdir/tests/pmpi/newer.c" -o "$work/newer" &&
        says '^0 wrong$' with "" 2 "$work/newer" && says '^0 wrong$' with ORTHO_STRICT=1 2 "$work/newer"
}
check "functions of newer MPIs work with any" newer
check "the status of several requests, also of an MPI newer than the build's" several
check "a plugin that is closed before MPI_Finalize" says '^closed' on 2 tests/pmpi/plugin "$builddir/.libs/libmpiortho.so"
# -fno-gnu-unique: else nothing of g++ is ever unloaded.
closed_cpp() {
    printf '#include <mpiortho.hpp>\nextern "C" int test(MPI_Comm comm, int* topology) {\n%s\n}\n' \
        'static_cast<void>(mpiortho::datatype<std::array<int, 3>>()); return ORTHO_Topo_test(comm, topology);' >"$work/plugin.cpp"
    $MPICC $sanitizers -x c++ -std=c++20 -fno-gnu-unique -w -fPIC -shared -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX \
        -I"$srcdir/include" "$work/plugin.cpp" -o "$work/plugin.so" -x none -L"$builddir/.libs" -lmpiortho -lstdc++ \
        -Wl,-rpath,"$builddir/.libs" && says '^closed' on 2 tests/pmpi/plugin "$work/plugin.so" test
}
check "a plugin of C++, with a type of its own" closed_cpp

# In link order instead.
linked() {
    ${MPICC%% *} $sanitizers -std=c11 -w "$srcdir/tests/pmpi/unify.c" -o "$work/linked" -L"$builddir/.libs" -lmpiortho-pmpi \
        -Wl,-rpath,"$builddir/.libs" -Wl,-rpath-link,"$builddir/.libs" &&
        says '^neighbors$' on 3 env ORTHO_PMPI=unify "$work/linked" neighbors
}
check "linked before the MPI" linked

mpif90=$(echo "${MPICC%% *}" | sed 's/mpicc/mpif90/')
fortran() { # which binding
    $mpif90 $sanitizers "-DBINDING_$1" "$srcdir/tests/pmpi/halo.F90" -o "$work/halo" || return 1
    for p in 2 3; do says '^0 wrong$' with "" $p "$work/halo" || return 1; done
    says '^0 wrong$' with ORTHO_PMPI=unify 3 "$work/halo" unify || return 1
    says '^0 wrong$' with ORTHO_PROGRESS=thread 3 "$work/halo" && ! grep THREAD_MULTIPLE "$work/out" || return 1
    says '^refused$' with ORTHO_STRICT=1 3 "$work/halo" &&
        says '^  MPI_Neighbor_alltoallv  *1 ' with ORTHO_PMPI_REPORT=1 2 "$work/halo" &&
        says '^  MPI_Dist_graph_create_adjacent  *2 ' with ORTHO_PMPI_REPORT=1 2 "$work/halo" &&
        says '^  MPI_Dist_graph_create  *1 ' with ORTHO_PMPI_REPORT=1 2 "$work/halo" || return 1
    $mpif90 $sanitizers "-DBINDING_$1" "$srcdir/tests/pmpi/nonblocking.F90" -o "$work/nonblocking" || return 1
    by_shared_memory "$work/nonblocking" 5 # one of them is alltoallv
}
without_ierror() { # program, what initializes MPI, settings: it takes no error code, but that of MPI_Send
    sed "/MPI_Send(/!{ s/, ierror)/)/; s/(ierror)/()/; s/MPI_Init()/$2/; }" "$srcdir/tests/pmpi/$1.F90" >"$work/$1.F90" &&
        grep -qF "$2" "$work/$1.F90" &&
        $mpif90 $sanitizers -DBINDING_F08 -I"$srcdir/tests/pmpi" "$work/$1.F90" -o "$work/$1-without" &&
        says '^0 wrong$' with "$3" 2 "$work/$1-without"
}
driven_without_ierror() { # and told that a setting is wrong
    without_ierror halo 'MPI_Init()' "ORTHO_PROGRESS=thread ORTHO_PMPI=nonsense" && grep 'is none of' "$work/out"
}
if command -v "$mpif90" >/dev/null && command -v gfortran >/dev/null; then
    for binding in $bindings; do
        check "Fortran: $binding" fortran $binding
        [ $binding = F08 ] || continue
        check "no call asks for its error code" without_ierror halo 'MPI_Init()' ''
        check "nor does one with threads" without_ierror halo 'MPI_Init_thread(MPI_THREAD_MULTIPLE, me)' ''
        check "nor one that a thread drives" driven_without_ierror
        check "nor one with the interposer off" without_ierror dense 'MPI_Init()' ORTHO_PMPI=off
    done
    # MPICH's mpi_f08 passes by C where it has no buffers.  The last three are Intel's, which has no module for gfortran.  A window
    # of MPI's own is right, too.
    passing='^mpi_win_allocate_f08_|^mpi_(i|m|im)?probe_f08_|^mpi_session_|^mpi_request_get_status_(all|any|some)_f08_'
    no_f08_passes_by() {
        library=$(ldd "$work/halo" | awk '/libmpi(ch)?fort|libmpi_usempif08/ { print $3; exit }')
        [ -n "$library" ] || { echo "halo has no library of Fortran"; return 1; }
        names() { nm -D --defined-only "$1" | awk '{ print $3 }' | sed 's/@.*//' | sort -u; }
        names "$builddir/.libs/libmpiortho-pmpi.so" >"$work/ours"
        names "$library" >"$work/theirs"
        sed -n 's/^MPI_/mpi_/p' "$work/ours" | tr A-Z a-z | sed 's/$/_f08_/' | sort | comm -12 - "$work/theirs" |
            comm -23 - "$work/ours" | grep -vE "$passing" && return 1
        return 0
    }
    check "all of mpi_f08 is replaced that C does not see" no_f08_passes_by
else
    left_out "Fortran" "there is no Fortran compiler for this MPI"
fi

shows_mpi_alone() {
    ! nm -D --defined-only "$builddir/.libs/libmpiortho-pmpi.so" | grep -vE ' [TW] (MPI_[A-Z]|mpi_)[a-z0-9_]*$' | grep -vE '__asan|__ubsan|__odr'
}
never_calls_itself() {
    # MPI_Aint_add is arithmetic.
    ! nm -D --undefined-only "$builddir/.libs/libmpiortho.so" | grep -E ' U MPI_[A-Z][a-z]' | grep -v 'MPI_Aint_add'
}
check "it shows MPI's names and no others" shows_mpi_alone
check "mpiortho itself calls nothing that it replaces" never_calls_itself

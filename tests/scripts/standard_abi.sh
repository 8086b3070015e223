# SPDX-License-Identifier: BSD-3-Clause
# Programs that are built for MPI's standard ABI, with a library that is not, and the other way round: they are told, and end.
unset LD_PRELOAD

case $flavour in
abi)
    compiler=${MPICC%_abi} program="a program of an MPI's own"
    complaint="this program has loaded libmpi[a-z.0-9]*, and this libmpiortho.so is built for the standard ABI of MPI"
    missing=mpiortho_is_not_built_with_MPICH
    ;;
*)
    compiler=${MPICC%% *}_abi program="a program of the standard ABI"
    complaint="this program is built for the standard ABI of MPI (libmpi_abi.so), and this libmpiortho.so is built with"
    missing=mpiortho_is_not_built_with_the_standard_ABI
    ;;
esac
if [ "$compiler" = "$MPICC" ] || ! command -v "$compiler" >"$work/output"; then
    left_out "programs of the other ABI" "this MPI has no compilers for both"
    return 0
fi
cat >"$work/module.c" <<'END'
#include <mpi.h>
int start(void)
{
    int one = 1, sent[2] = {1, 2}, received[2] = {0, 0};
    MPI_Comm ring;
    MPI_Init(0, 0);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &one, &one, 0, &ring);
    MPI_Neighbor_alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, ring);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return received[0] + received[1] != 3;
}
END
printf 'int start(void);\nint main(void) { return start(); }\n' >"$work/main.c"
cat >"$work/loader.c" <<'END'
#include <dlfcn.h>
int main(int argc, char **argv)
{
    void *module = dlopen(argv[argc - 1], RTLD_NOW);
    return module ? ((int (*)(void))dlsym(module, "start"))() : 2;
}
END
preload="LD_PRELOAD=$builddir/.libs/libmpiortho-pmpi.so"
told() { # COMMAND...: one line, and no crash
    timeout 60 "$@" >"$work/output" 2>&1
    [ $? = 1 ] && [ "$(wc -l <"$work/output")" = 1 ] && grep "^mpiortho: $complaint" "$work/output" ||
        { cat "$work/output"; return 1; }
}

plain() { "$compiler" "$work/main.c" "$work/module.c" -o "$work/plain" && timeout 60 "$work/plain"; }
linked() { # library
    "$compiler" "$work/main.c" "$work/module.c" -o "$work/linked" -Wl,--no-as-needed -L"$builddir/.libs" "-l$1" \
        -Wl,-rpath,"$builddir/.libs" && told "$work/linked"
}
loaded() { # as Python does with its MPI
    "$compiler" -shared -fPIC "$work/module.c" -o "$work/module.so" &&
        ${CC%% *} "$work/loader.c" -o "$work/loader" -ldl &&
        timeout 60 "$work/loader" "$work/module.so" && told env "$preload" "$work/loader" "$work/module.so"
}
header() { # the linker misses a symbol that has the name of the ABI
    printf '#include <mpiortho.h>\nint main(void) { return ORTHO_Get_version(0, 0, 0); }\n' >"$work/program.c"
    ! "$compiler" -I"$srcdir/include" "$work/program.c" -o "$work/program" -L"$builddir/.libs" -lmpiortho >"$work/output" 2>&1 &&
        grep $missing "$work/output"
}

check "$program runs by itself" plain
if [ -z "$sanitizers" ]; then
    check "with the interposer preloaded it is told" told env "$preload" "$work/plain"
    check "linked to the interposer it is told" linked mpiortho-pmpi
    check "linked to the library it is told" linked mpiortho
    check "a program that loads its MPI later is told" loaded
fi
check "what includes the header does not link" header

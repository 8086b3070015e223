# SPDX-License-Identifier: BSD-3-Clause
# The standard ABI: what runs on another MPI (ORTHO_TEST_ABI_ON) are the files that were tested on the MPI that they were built
# with, neither compiled nor linked again.
sums=tests/same_files.sums
mpi=tests/same_files.mpi
files() {
    find .libs/libmpiortho.so.*.*.* .libs/libmpiortho-pmpi.so.*.*.* tests/mpi tests/pmpi tools/.libs \
        -type f -perm -u+x | LC_ALL=C sort
}
version() { timeout 60 $MPIEXEC -n 1 "$builddir/tools/ortho-conform" --csv /dev/null | head -n 1; }
note() { files | xargs sha256sum >"$sums" && version >"$mpi" && [ -s "$mpi" ]; }
same() { files | xargs sha256sum | diff "$sums" - && grep -q 'libmpiortho-pmpi' "$sums"; }
another() { version >"$mpi.now" && [ -s "$mpi.now" ] && cat "$mpi" "$mpi.now" && ! cmp -s "$mpi" "$mpi.now"; }

if [ "$flavour" != abi ]; then
    left_out "the files for all MPIs" "this MPI has a library of its own"
elif [ -z "${ORTHO_TEST_ABI_ON:-}" ]; then
    check "the files for all MPIs are noted" note
elif [ ! -s "$mpi" ]; then
    left_out "the files for all MPIs" "they have not been tested on their own MPI: make check-abi comes first"
else
    check "this is another MPI" another
    check "its files are those that were tested before" same
fi

# SPDX-License-Identifier: BSD-3-Clause
# FFTW's MPI transforms (libfftw3-mpi-dev) with ORTHO_PMPI=dense: its transpositions are MPI_Alltoall where
# all processes have as many planes, else MPI_Alltoallv.
. "$srcdir/tests/foreign/compare.sh"
build() { $MPICC -std=gnu11 -O2 "$srcdir/tests/foreign/fftw.c" -lfftw3_mpi -lfftw3 -lm -o "$work/fftw"; }
check "the program is built" build
settings=ORTHO_PMPI=dense
seconds() { sed -n 's/^seconds /transform /p' "$work/$1.err.0"; }
calls=MPI_Alltoall
foreign fftw-16x16x16 2 "$work/fftw" 16 16 16 2000
foreign fftw-32x32x32 2 "$work/fftw" 32 32 32 400
foreign fftw-64x64x64 2 "$work/fftw" 64 64 64 100
foreign fftw-64x64x64 4 "$work/fftw" 64 64 64 20
calls=MPI_Alltoallv
foreign fftw-13x14x15 2 "$work/fftw" 13 14 15 2000
foreign fftw-63x62x65 2 "$work/fftw" 63 62 65 100
for p in 3 5; do foreign fftw-63x62x65 $p "$work/fftw" 63 62 65 20; done
# The program itself compares with arithmetic, and says so by the status.
spoils=-DSPOIL_DENSE wrong_says='ours: it ended with status'
notices fftw-13x14x15 2 "$work/fftw" 13 14 15 2

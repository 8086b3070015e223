# SPDX-License-Identifier: BSD-3-Clause
# CP2K (cp2k), in Fortran: the energy of a molecule of water.  It makes Cartesian grids for its matrices.
. "$srcdir/tests/foreign/compare.sh"
cat >"$work/in" <<END_OF_INPUT
&GLOBAL
 PROJECT $work/water
 RUN_TYPE ENERGY
 PRINT_LEVEL LOW
&END
&FORCE_EVAL
 METHOD QS
 &DFT
  BASIS_SET_FILE_NAME BASIS_MOLOPT
  POTENTIAL_FILE_NAME GTH_POTENTIALS
  &MGRID
   CUTOFF 100
  &END
  &SCF
   MAX_SCF 5
   SCF_GUESS ATOMIC
  &END
  &XC
   &XC_FUNCTIONAL LDA
   &END
  &END
 &END
 &SUBSYS
  &CELL
   ABC 6 6 6
  &END
  &COORD
   O 0 0 0
   H 0.757 0.586 0
   H -0.757 0.586 0
  &END
  &KIND H
   BASIS_SET DZVP-MOLOPT-SR-GTH
   POTENTIAL GTH-PADE-q1
  &END
  &KIND O
   BASIS_SET DZVP-MOLOPT-SR-GTH
   POTENTIAL GTH-PADE-q6
  &END
 &END
&END
END_OF_INPUT
# Energy and convergence of each step, in all digits, without its time.
answer() { awk '/P_Mix/ { print $1, $2, $3, $5, $6, $7 } /ENERGY\|/' "$work/$1".out.0; }
calls=MPI_Cart_create
foreign cp2k-water 4 cp2k.psmp -i "$work/in"

# SPDX-License-Identifier: BSD-3-Clause
# LAMMPS (lammps), a melting crystal.  It makes a Cartesian grid, keeps its ranks, and uses them on MPI_COMM_WORLD:
# so `processors * * * map cart/reorder` is wrong with each MPI that does reorder, and with ORTHO_PMPI_REORDER=1.
. "$srcdir/tests/foreign/compare.sh"
cat >"$work/in" <<'END'
units lj
atom_style atomic
processors * * * map cart/reorder
lattice fcc 0.8442
region box block 0 10 0 10 0 10
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 20 delay 0 check no
fix 1 all nve
thermo 10
run 50
END
# Temperature, energies and pressure.
answer() { awk '/^ *Step /, /^Loop time/' "$work/$1.out.0" | grep -v '^Loop'; }
seconds() { sed -n 's/^Loop time of \([0-9.e-]*\) .*/steps \1/p' "$work/$1.out.0"; }
calls=MPI_Cart_create
for p in 2 4; do foreign lammps $p lmp -in "$work/in" -log none; done

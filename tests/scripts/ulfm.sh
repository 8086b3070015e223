# SPDX-License-Identifier: BSD-3-Clause
# Programs that go on after a process has died, or a communicator was revoked, where the MPI has ULFM.
# The dead leave what they had.
quick_asan="$quick_asan:detect_leaks=0"
export ASAN_OPTIONS="$quick_asan"
. "$srcdir/tests/interposed.sh"

processes=4
limit=120
# Open MPI asks for it in the command line, and wants to be told that its topologies are good enough.
MPIEXEC="$MPIEXEC --with-ft ulfm"
all_right() { # number of processes that live, command
    living=$1
    shift
    "$@" >"$work/out" 2>&1 && [ "$(grep -a -c '^right$' "$work/out")" = "$living" ] && return
    cat "$work/out"
    return 1
}
# try WHO FORM EVENT INTS [SETTING...]: the library and, unless WHO is library, the interposer.
try() {
    who=$1 form=$2 event=$3 ints=$4
    shift 4
    living=$((processes - 1))
    [ "$event" != revoke ] || living=$processes
    [ "$who" = interposer ] || check "the library, $form, $event, $ints ints a block $*" \
            all_right $living on $processes env "$@" tests/mpi/ulfm "$form" "$event" "$ints"
    [ "$who" = library ] || check "the interposer, $form, $event, $ints ints a block $*" \
            all_right $living with "$*" $processes tests/pmpi/ulfm "$form" "$event" "$ints"
}

if tests/pmpi/ulfm | grep -q '^no ULFM$'; then
    left_out "processes that fail" "this MPI has no ULFM"
    return 0
fi
for event in die die+revoke revoke; do
    try both blocking $event 1
    try both wait $event 1
done
try both test die 1
try both persistent die 1
try both persistent revoke 1
try interposer graph die 1
try both wait free 1
for form in halo run; do
    try library $form die 1
    try library $form revoke 1
done
# Messages whose senders wait, and those that MPI moves.
for ints in 20000 300000; do
    try library blocking die $ints
    try library wait die $ints
    try library wait revoke $ints
    try library run die+revoke $ints
done
try library blocking die 1 ORTHO_VERIFY=1
try library wait die 1 ORTHO_VERIFY=1
try library blocking die 1 ORTHO_SHM=0

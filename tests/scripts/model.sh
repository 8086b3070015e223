# SPDX-License-Identifier: BSD-3-Clause
# Spin runs through all that can happen in the models of the node's queue (tests/model): nothing goes wrong; and with
# ORTHO_TEST_ALL, in each model that a PLANT_... breaks, something does.
command -v spin >/dev/null || skip_all "no spin"

# make_verifier "FLAGS OF THE COMPILER" MODEL MACRO...
make_verifier() {
    flags=$1 model=$2
    shift 2
    rm -rf "$work/pan"* && (cd "$work" && spin -a "$@" "$srcdir/tests/model/$model.pml" && $CC -w $flags -DSAFETY -DCOLLAPSE -DMEMLIM=2000 -o pan pan.c)
}
search() { (cd "$work" && timeout -k 10 "$limit" ./pan -m100000 >out 2>&1); grep -q 'errors:' "$work/out"; }

is_right() {
    make_verifier -O1 "$@" && search || { cat "$work/out"; return 1; }
    cat "$work/out"
    grep -q 'errors: 0$' "$work/out" && grep -q '^Full statespace search' "$work/out" &&
        ! grep -qE 'not completed|search depth too small|out of memory|MEMLIM' "$work/out"
}
is_found() {
    make_verifier -O0 "$@" && search || return 1
    cat "$work/out"
    grep -qE '^pan:1: (assertion violated|invalid end state)' "$work/out" && grep -q 'errors: 1$' "$work/out"
}
plants_of() { sed -n 's/^#if.*\(PLANT_[A-Z_]*\).*/\1/p' "$srcdir/tests/model/$1.pml" | sort -u; }

check "blocking messages, a ring that grows" is_right blocking -DSMALLEST=4 -DLARGEST=8
check "blocking messages, a ring that does not" is_right blocking -DSMALLEST=4 -DLARGEST=4
check "non-blocking messages" is_right nonblocking
check "started messages" is_right started
thorough || return 0
for model in blocking nonblocking started; do
    for plant in $(plants_of $model); do
        case $model in blocking) sizes="-DSMALLEST=4 -DLARGEST=8" ;; *) sizes= ;; esac
        check "$model: $plant is found" is_found $model $sizes -D$plant
    done
done
for plant in $(plants_of ring); do
    case $plant in
    PLANT_RELEASE_EARLY) model=nonblocking sizes= ;;
    PLANT_NOTHING_AFTER_READ) model=started sizes= ;;
    *) model=blocking sizes="-DSMALLEST=4 -DLARGEST=8" ;;
    esac
    check "the ring: $plant is found" is_found $model $sizes -D$plant
done

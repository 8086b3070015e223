# SPDX-License-Identifier: BSD-3-Clause
# Scripts on several hosts begin with this, and end here where hosts cannot be made.
harness=$srcdir/tests/hosts/hosts.sh

sh "$harness" --hosts 2 --per-host 1 -- true >"$work/out" 2>&1
if [ $? = 77 ]; then
    cat "$work/out" >&2
    skip_all "$(tail -n 1 "$work/out")"
fi

hosts_of() { # processes on each host, program
    sizes=$1
    shift
    timeout -k 10 "$limit" sh "$harness" --hosts-of "$sizes" -- "$@"
}

# SPDX-License-Identifier: BSD-3-Clause
# awk -f collectives.awk collectives.F90: a line "@call NAME ARGUMENTS" becomes calls of each form, with
# counts of each kind, each checked by expect(NAME).  In ARGUMENTS # stands for the suffix of counts and
# displacements of this kind.
/^@call / {
    name = $2
    arguments = $0
    sub(/^@call [a-z_]+ */, "", arguments)
    for (large = 0; large <= (arguments ~ /#/); ++large) {
        given = arguments
        gsub(/#/, large ? "_c" : "", given)
        given = (given == "" ? "" : given ", ") "&\n        comm, "
        one("ortho_" name "(" given "ierror=ierr)")
        one("ortho_i" name "(" given "request, ierr)", "call ortho_wait(request, status, ierr)")
        one("ortho_" name "_init(" given "MPI_INFO_NULL, request, ierr)",
            "call ortho_start(request, ierr); call ortho_wait(request, ierror=ierr)")
        print "    call reset(); call ortho_run(request, ierror=ierr)"
        print "    call expect('" name "', 'ortho_run of ortho_" name "_init')"
        print "    call ortho_request_free(request, ierr)"
    }
    next
}
{ print }
function one(call, then,    what)
{
    what = call
    sub(/\(.*/, "", what)
    print "    call reset()"
    print "    call " call
    if (then != "") print "    " then
    print "    call expect('" name "', '" what (large ? " with large counts" : "") "')"
}

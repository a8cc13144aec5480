#!/bin/sh
# The login shell of a host's user: runs a command as `sh -c` does, and lets strace put a fault
# into it when the lab has left one for it (see faults.py).
#
# strace counts calls from the first one that a process makes; so it starts the probe itself, not a
# shell. It has to outlive `start`, because the fault is meant for the detached probe: so it traces
# from a separate session (-DDD), and holds none of the login's streams, or the login would not
# end before the probe does.
folder=${0%/shell}
fault=$folder/fault
command=${2-}
verb=$(head -n 1 "$fault" 2>/dev/null)
case $command in
  *"/assay-probe $verb"*) [ -n "$verb" ] || exec /bin/sh -c "$command" ;;
  *) exec /bin/sh -c "$command" ;;
esac
traces=$(mktemp -d "$folder/traces/XXXXXX")
mv "$fault" "$traces/fault"
[ ! -e "$folder/fault.stays" ] || cp "$traces/fault" "$fault"
set --
while IFS= read -r option; do set -- "$@" "$option"; done <<END
$(tail -n +2 "$traces/fault")
END
eval "set -- \"\$@\" ${command#exec env LC_ALL=C }"
export LC_ALL=C
[ "$verb" = start ] || exec strace -f -qq -o "$traces/trace" "$@"
cat >"$traces/input"
strace -DDD -f -qq -o "$traces/trace" "$@" \
  <"$traces/input" >"$traces/output" 2>"$traces/errors"
code=$?
cat "$traces/output"
cat "$traces/errors" >&2
exit "$code"

#!/bin/sh
# The login shell of a host's user: runs a command like `sh -c`, under strace if the lab has
# stored a fault for it (see faults.py).
#
# strace counts a process's calls from the first one, so it starts the probe itself, not a shell. It
# has to outlive `start`, because the fault is for the detached probe: so it traces from a separate
# session (-DDD), with none of the login's streams open, so that the login can end before the probe.
folder=${0%/shell}
fault=$folder/fault
command=${2-}
verb=$(head -n 1 "$fault" 2>/dev/null)
# the worker escapes its commands (worker/assay_worker/connectors/shell.py)
case $command in
  "exec /bin/sh -c 'eval "*"' sh '"*)
    eval "set -- '${command#*"' sh '"}"
    command=$(printf %b "$@")
    ;;
esac
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
eval "${command%%exec env LC_ALL=C *}" # the marks before its output
eval "set -- \"\$@\" ${command#*exec env LC_ALL=C }"
export LC_ALL=C
[ "$verb" = start ] || exec strace -f -qq -o "$traces/trace" "$@"
cat >"$traces/input"
strace -DDD -f -qq -o "$traces/trace" "$@" \
  <"$traces/input" >"$traces/output" 2>"$traces/errors"
code=$?
cat "$traces/output"
cat "$traces/errors" >&2
exit "$code"

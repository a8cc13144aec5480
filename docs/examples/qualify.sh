#!/bin/sh
# Qualifies a directory of a host before it goes into service, and keeps the evidence.
#
#   qualify.sh HOST ADDRESS USER DIRECTORY OPTION ...
#
# OPTIONs are those of `assay campaign run`, such as --profile "First look" and, for each limit,
# --criterion "durable.mean >= 1 GB/s". Exits with 0 if every criterion passes, 99 if one fails, 98 if
# one cannot be judged, and 1 or 2 if nothing was measured. It needs the command `assay`, ASSAY_URL
# and ASSAY_TOKEN (scopes read, launch and hosts), and
#
#   CREDENTIAL   name of the stored credential with which Assay logs in
#   KNOWN_HOSTS  file with the host's key
#   PORT         of its sshd (22)
#   EVIDENCE     directory for the verdict, the report and the data (.)
set -eu
host=$1 address=$2 user=$3 directory=$4
shift 4
evidence=${EVIDENCE:-.}

# one call: key, login and directory are checked, or nothing is registered
assay host show "$host" > /dev/null 2>&1 ||
  assay host add "$host" --address "$address" --port "${PORT:-22}" --user "$user" \
    --credential "$CREDENTIAL" --known-hosts "$KNOWN_HOSTS" --target "$directory" \
    --label stage=qualification --wait

code=0
assay campaign run --target "$host:$directory" --label "gate=$host" "$@" \
  --wait --timeout "2 h" --cancel-on-interrupt \
  --junit "$evidence/verdict.xml" --markdown "$evidence/verdict.md" || code=$?
assay export-runs --label "gate=$host" --output "$evidence/trials.csv"
if [ "$code" -eq 0 ]; then
  assay host label "$host" stage=accepted
fi
exit "$code"

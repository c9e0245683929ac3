#!/usr/bin/env bash
# Switchover job: makes a replica the primary. With the primary's help no transaction is lost; without it, only with
# ALLOW_LOSS, and only on the replica that has received most. Can be repeated after any step.
set -euo pipefail
# shellcheck source=flavour.sh
. "$(dirname "$0")/flavour.sh"
end_by_sigterm
: "${TARGET_HOST:?}" "${TARGET_PORT:=$PORT}"
old=(root --host="$PRIMARY_HOST" --port="$PRIMARY_PORT")
new=(root --host="$TARGET_HOST" --port="$TARGET_PORT")

main() {
  if [ "$(value '@@global.read_only' "${new[@]}")" = 0 ]; then
    as "${old[@]}" --execute=SHUTDOWN || true
  elif value 1 "${old[@]}"; then
    switch_over
  else
    promote_alone
  fi
}

# value EXPRESSION USER ARGS...: prints the value of an expression.
value() { as "${@:2}" --skip-column-names --execute="SELECT $1"; }

# One session locks the old primary against all writers, root included, until it shuts down. If this job ends before, so
# does the session, and writers go on. If the session ends before, so does this job.
switch_over() {
  local trouble="" caught_up
  is_marked drained "${old[@]}" || trouble="$(why_not_following "${new[@]}")"
  [ -z "$trouble" ] || refuse "$TARGET_HOST does not follow the primary: $trouble"
  coproc OLD { as "${old[@]}" --skip-column-names --unbuffered --skip-reconnect; }
  ask "SET lock_wait_timeout=60, wait_timeout=600; FLUSH TABLES WITH READ LOCK; SELECT $POSITION;" || refuse "the primary has transactions that don't end"
  caught_up="WAIT_FOR_EXECUTED_GTID_SET('$ANSWER', 60)"
  [ "$FLAVOUR" = mysql ] || caught_up="MASTER_GTID_WAIT('$ANSWER', 60)"
  [ "$(value "$caught_up" "${new[@]}")" = 0 ] || refuse "$TARGET_HOST does not catch up within a minute"
  # From here on the switchover has to be finished: with the mark, the old primary only starts as a replica.
  mark drained "${old[@]}"
  ask "SET GLOBAL read_only=ON; SELECT 1;"
  promote
  # The statement after it ends the client.
  ask "SHUTDOWN; SELECT 1;" || true
}

# ask STATEMENTS: runs them in the session with the lock; the line that they print is the ANSWER.
ask() { echo "$1" >&"${OLD[1]}" && read -r -t 60 ANSWER <&"${OLD[0]}"; }

# Without the primary. What it committed and no replica received is lost, unless its volume comes back.
promote_alone() {
  local position host
  position="$(value "$POSITION" "${new[@]}")"
  [ -n "${ALLOW_LOSS:-}" ] || refuse "the primary does not answer: what it wrote after GTID $position would be lost"
  [ "$(replica_field Slave_SQL_Running "${new[@]}")" = Yes ] || refuse "$TARGET_HOST does not apply what it received"
  [ "$FLAVOUR" = mysql ] || [ "$(replica_field Gtid_IO_Pos "${new[@]}")" = "$position" ] || refuse "$TARGET_HOST has not applied all it received yet"
  for host in ${OTHER_HOSTS:-}; do
    PRIMARY_HOST="$TARGET_HOST" PRIMARY_PORT="$TARGET_PORT" history_holds \
      "$(value "$POSITION" root --host="${host%:*}" --port="${host#*:}" || echo 0-0-1)" ||
      refuse "$host does not answer, or has received more than $TARGET_HOST"
  done
  promote
}

# The order matters: a server with the mark is primary at its next start, whoever the operator has written down.
promote() {
  mark promoted "${new[@]}"
  promotion_statements | as "${new[@]}"
}

# mark NAME USER ARGS...: leaves a mark in a server's data, unless it is there.
mark() { is_marked "$@" || value "1 INTO OUTFILE '$(value @@datadir "${@:2}").operator-$1'" "${@:2}"; }
is_marked() { [ "$(value "LOAD_FILE(CONCAT(@@datadir, '.operator-$1')) IS NOT NULL" "${@:2}")" = 1 ]; }

# Exits with 7 if nothing has changed.
refuse() {
  report "$1"
  echo "$1" >&2
  is_marked drained "${old[@]}" || exit 7
  exit 1
}

main

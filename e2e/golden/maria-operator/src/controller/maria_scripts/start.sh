#!/usr/bin/env bash
# The server's container: replaces itself with the server, so that it receives signals.
set -euo pipefail
# shellcheck source=flavour.sh
. "$(dirname "$0")/flavour.sh"

mapfile -t flags < <(server_flags)
role=replica
if is_primary; then
  role=primary
  flags+=(--read-only=OFF)
else
  [ ! -e "$STALE" ] || { echo "ReplicaStale: the primary has purged the logs that this replica needs." >&2; exit 4; }
  # What only this replica has is never deleted here. The primary may have got it since.
  if [ -e "$AHEAD" ] && ! history_holds "$(cat "$AHEAD")"; then
    report "this replica has transactions up to GTID $(cat "$AHEAD")"
    echo "ReplicaAhead: the primary does not have GTID $(cat "$AHEAD") of this replica." >&2
    exit 5
  fi
  flags+=(--read-only=ON)
  [ "$FLAVOUR" = mariadb ] || flags+=(--super-read-only=ON)
fi
rm -f "$AHEAD"

# A server that starts without a certificate has no TLS until its next start.
certificates() { cat "$CONFIG/tls.crt" "$CONFIG/ca.crt" 2> /dev/null || true; }
certificate="$(certificates)"

# Runs in the background: lets the server follow whoever is primary, also when that changes.
follow_primary() {
  local followed="" wanted renewed
  until as root --socket="$SOCKET" --execute='SELECT 1' > /dev/null 2>&1; do wait_a_second; done
  while wait_a_second; do
    read_primary
    renewed="$(certificates)"
    if [ -n "$certificate" ] && [ -n "$renewed" ] && [ "$renewed" != "$certificate" ]; then take_certificate && certificate="$renewed"; fi
    # Once the operator's word is here, the marks of a switchover are not needed any more.
    if [ "$ORDINAL" = "$PRIMARY" ]; then rm -f "$PROMOTED"; else rm -f "$DRAINED"; fi
    if is_primary; then role=primary && continue; fi
    [ "$ORDINAL" != "$PRIMARY" ] || continue
    # A primary that no longer is one starts again as a replica.
    [ "$role" = replica ] || kill "$$"
    wanted="$PRIMARY ${TLS[*]} $(cat "$CONFIG/password-replication")"
    if [ "$followed" != "$wanted" ]; then replication_statements | as root --socket="$SOCKET" && followed="$wanted"; fi
    # The replica's position is not in the primary's logs, or follows a different one: it can never catch up.
    case "$(replica_field Last_IO_Errno) $(replica_field Last_SQL_Errno)" in 1236* | 13114* | *1950) end_replica ;; esac
  done
}

# A primary that once had all that this replica has has purged logs; any other lacks something.
end_replica() {
  local position holds=0
  position="$(as root --socket="$SOCKET" --skip-column-names --execute="SELECT $POSITION")" || return 0
  history_holds "$position" || holds=$?
  case $holds in
  0) touch "$STALE" || return 0 ;;
  1) save "$AHEAD" "$position" || return 0 ;;
  *) return ;;
  esac
  kill "$$"
}

# Exits when the server does.
wait_a_second() {
  sleep 1
  kill -0 "$$" 2> /dev/null || exit 0
}

# The init file sets users, passwords and rights at every start. A primary also writes an empty transaction, by which
# replicas know its run.
cat "$CONFIG/passwords.sql" "$CONFIG/init.sql" > "$RUNDIR/init.sql"
if [ "$role" = primary ]; then
  printf 'SET SESSION sql_log_bin=1;\nFLUSH USER_RESOURCES;\n' >> "$RUNDIR/init.sql"
fi
follow_primary &

exec "$SERVER" "${flags[@]}" --init-file="$RUNDIR/init.sql"

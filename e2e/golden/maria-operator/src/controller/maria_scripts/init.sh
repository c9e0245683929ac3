#!/usr/bin/env bash
# Init container: initializes the data directory once. Ordinal 0 starts empty, all others as a copy of it.
# A directory without the mark is incomplete, because the container was killed, and is initialized again.
set -euo pipefail
# shellcheck source=flavour.sh
. "$(dirname "$0")/flavour.sh"

MARK="$DATADIR/.operator-initialized"

main() {
  if [ -e "$MARK" ]; then
    echo "The data directory is already initialized."
    return
  fi
  if [ "$ORDINAL" = 0 ]; then
    refuse_to_lose_data
    empty_folder
    create_system_tables
  else
    empty_folder
    create_system_tables
    copy_from_primary
  fi
  touch "$MARK"
  echo "Initialized the data directory of ordinal $ORDINAL."
}

# An empty primary starts without errors, and its replicas stay ready until its first write, so this must be checked
# before serving: once there was data, ordinal 0 is never initialized again automatically.
refuse_to_lose_data() {
  if [ -e "$CONFIG/initialized" ] && [ ! -e "$CONFIG/allow-reinit" ]; then
    echo "PrimaryDataLost: ordinal 0 had data before, but its data directory is empty now; not initializing it." >&2
    exit 3
  fi
}

# Keeps the directory itself, which is a mount point.
empty_folder() {
  find "$DATADIR" -mindepth 1 -maxdepth 1 ! -name lost+found -exec rm -rf {} +
}

copy_from_primary() {
  start_quietly
  trap stop_quietly EXIT
  # The loaded data must not be written to this server's binary log: its history is the primary's.
  {
    echo 'SET SESSION sql_log_bin=0;'
    [ "$FLAVOUR" = mariadb ] || echo 'RESET BINARY LOGS AND GTIDS;'
    dump_for_replica
    # A plain FLUSH PRIVILEGES would be logged and break a strict GTID replica (error 1950).
    echo 'FLUSH LOCAL PRIVILEGES;'
  } | "$CLIENT" --no-defaults --user=root --socket="$SOCKET"
  stop_quietly
  trap - EXIT
}

# Starts a server that only this script can reach: it has no password yet.
start_quietly() {
  mapfile -t flags < <(server_flags)
  "$SERVER" "${flags[@]}" --skip-networking --skip-log-error > "$RUNDIR/init.log" 2>&1 &
  SERVER_PID=$!
  for _ in $(seq 300); do
    if "$ADMIN" --no-defaults --user=root --socket="$SOCKET" ping > /dev/null 2>&1; then return; fi
    kill -0 "$SERVER_PID" 2> /dev/null || break
    sleep 0.1
  done
  cat "$RUNDIR/init.log" >&2
  exit 1
}

stop_quietly() {
  kill "$SERVER_PID" 2> /dev/null || true
  wait "$SERVER_PID" 2> /dev/null || true
}

main

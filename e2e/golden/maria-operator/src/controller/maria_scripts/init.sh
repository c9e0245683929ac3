#!/usr/bin/env bash
# Init container: makes the data folder ready once. Ordinal 0 starts empty, every other as a copy of it.
# A folder that a kill left half made has no mark, so it is made again.
set -euo pipefail
# shellcheck source=flavour.sh
. "$(dirname "$0")/flavour.sh"

MARK="$DATADIR/.operator-initialized"

main() {
  if [ -e "$MARK" ]; then
    echo "The data folder is there."
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
  echo "The data folder of ordinal $ORDINAL is initialized."
}

# An empty primary comes up clean and its replicas stay green until its first write, so this must not be found
# out by serving: once there was data, ordinal 0 never starts from nothing by itself.
refuse_to_lose_data() {
  if [ -e "$CONFIG/initialized" ] && [ ! -e "$CONFIG/allow-reinit" ]; then
    echo "PrimaryDataLost: ordinal 0 had data before and its folder is empty now; it is not made anew." >&2
    exit 3
  fi
}

# The folder itself is a volume's mount point and stays.
empty_folder() {
  find "$DATADIR" -mindepth 1 -maxdepth 1 ! -name lost+found -exec rm -rf {} +
}

copy_from_primary() {
  start_quietly
  trap stop_quietly EXIT
  # What is loaded must not get into this server's own log: its history is the primary's.
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

# A server that nobody can reach but this script: it has no password yet.
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

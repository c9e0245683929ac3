#!/usr/bin/env bash
# Init container: initializes the data directory once. The primary starts empty, all others as a copy of it.
# A directory without the mark is incomplete, because the container was killed, and is initialized again.
set -euo pipefail
# shellcheck source=flavour.sh
. "$(dirname "$0")/flavour.sh"
end_by_sigterm

VERSION="$DATADIR/.operator-version"

main() {
  local history="" truth=""
  if [ -e "$MARK" ]; then history="$(cat "$MARK")" && history="${history:-true}"; fi
  if [ -e "$CONFIG/initialized" ]; then truth="$(cat "$CONFIG/initialized")"; fi
  if is_primary; then
    refuse_other_data "$history" "$truth"
    [ -n "$history" ] || create_system_tables
    history="${history:-$(od -An -N8 -tx8 /dev/urandom | tr -d ' ')}"
  elif [ -z "$history" ] || [ -e "$STALE" ] || { [ -n "$truth" ] && [ "$history" != "$truth" ]; }; then
    copy_from_primary
    history="$truth"
  fi
  [ -s "$VERSION" ] || save "$VERSION" "$FLAVOUR $(server_version)"
  serve_version
  save "$MARK" "$history"
  report "$history"
  echo "The data directory of ordinal $ORDINAL has the history $history."
}

# An empty primary starts without errors, and its replicas stay ready until its first write, so this must be checked
# before serving: once there was data, only the same data is served, unless the user says otherwise.
refuse_other_data() {
  [ -n "$2" ] && [ "$1" != "$2" ] && [ ! -e "$CONFIG/allow-reinit" ] || return 0
  echo "PrimaryDataLost: this data directory has the history \"$1\" instead of \"$2\"; not serving it." >&2
  exit 3
}

# Data of a newer version, or of the other flavour, can't be read, and trying can damage it. MariaDB's system tables have
# to be upgraded to each version; MySQL does that by itself.
serve_version() {
  local flavour version
  read -r flavour version < "$VERSION"
  [ "$flavour $version" != "$FLAVOUR $(server_version)" ] || return 0
  if [ "$flavour" != "$FLAVOUR" ] || [ "$(printf '%s\n' "$version" "$(server_version)" | sort -V | head -n 1)" != "$version" ]; then
    report "the data is from $flavour $version, and the image has $FLAVOUR $(server_version)"
    exit 6
  fi
  if [ "$FLAVOUR" = mariadb ]; then
    start_quietly --skip-grant-tables
    mariadb-upgrade --no-defaults --user=root --socket="$SOCKET" --force
    stop_quietly
  fi
  save "$VERSION" "$FLAVOUR $(server_version)"
}

# Major and minor version, such as 10.11: patches can be changed in both directions.
server_version() { "$SERVER" --no-defaults --version | sed -n 's/.*Ver \([0-9]*\.[0-9]*\).*/\1/p'; }

# Nothing is deleted before there is a primary to copy.
copy_from_primary() {
  local version copy
  version="$(as backup --host="$PRIMARY_HOST" --port="$PRIMARY_PORT" --skip-column-names --execute='SELECT VERSION()')"
  until [ -s "$CONFIG/initialized" ]; do echo "waiting for the primary to be recorded" && sleep 1; done
  truth="$(cat "$CONFIG/initialized")"
  create_system_tables
  copy="$(od -An -N8 -tx8 /dev/urandom)" && echo "$copy" > "$DATADIR/.operator-copy"
  # The copy has the primary's system tables, too.
  save "$VERSION" "$FLAVOUR $(cut -d. -f1,2 <<< "$version")"
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
  # While a node is out of reach, another pod of this server may have begun anew in the same volume.
  [ "$(cat "$DATADIR/.operator-copy")" = "$copy" ] || { echo "another pod writes to this volume" >&2; exit 1; }
}

# Starts a server that only this script can reach: it has no password yet.
start_quietly() {
  mapfile -t flags < <(server_flags)
  "$SERVER" "${flags[@]}" "$@" --skip-networking --skip-log-error > "$RUNDIR/init.log" 2>&1 &
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

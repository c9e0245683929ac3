#!/usr/bin/env bash
# The server's container: replaces itself with the server, so that it receives signals.
# The init file sets users and passwords at every start, so a password rotation is a restart.
set -euo pipefail
# shellcheck source=flavour.sh
. "$(dirname "$0")/flavour.sh"

STALE="$DATADIR/.operator-stale"
if [ -e "$STALE" ]; then
  echo "ReplicaStale: the primary has purged the logs that this replica needs; it needs a new volume." >&2
  exit 4
fi

mapfile -t flags < <(server_flags)
if [ "$ORDINAL" = 0 ]; then
  flags+=(--read-only=OFF)
else
  flags+=(--read-only=ON)
  [ "$FLAVOUR" = mariadb ] || flags+=(--super-read-only=ON)
fi

# Runs in the background: configures replication once the server's socket answers.
follow_primary() {
  until as root --socket="$SOCKET" --execute='SELECT 1' > /dev/null 2>&1; do wait_a_second; done
  replication_statements | as root --socket="$SOCKET"
  until [ "$(replica_field Slave_IO_Running)" = Yes ]; do
    # The primary has purged logs that this replica needs: it can never catch up.
    case "$(replica_field Last_IO_Errno)" in 1236 | 13114)
      touch "$STALE"
      kill "$$"
      ;;
    esac
    wait_a_second
  done
}

# Exits when the server does.
wait_a_second() {
  sleep 1
  kill -0 "$$" 2> /dev/null || exit 0
}

[ "$ORDINAL" = 0 ] || follow_primary &

exec "$SERVER" "${flags[@]}" --init-file="$CONFIG/init.sql"

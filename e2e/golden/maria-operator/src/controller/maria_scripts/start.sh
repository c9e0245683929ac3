#!/usr/bin/env bash
# The server's container: starts the server as this process, so that it gets the signals.
# The init file sets users and passwords at every start, so a rotation is a restart.
set -euo pipefail
# shellcheck source=flavour.sh
. "$(dirname "$0")/flavour.sh"

STALE="$DATADIR/.operator-stale"
if [ -e "$STALE" ]; then
  echo "ReplicaStale: the primary's log no longer holds what this replica lacks; it needs a new volume." >&2
  exit 4
fi

mapfile -t flags < <(server_flags)
if [ "$ORDINAL" = 0 ]; then
  flags+=(--read-only=OFF)
else
  flags+=(--read-only=ON)
  [ "$FLAVOUR" = mariadb ] || flags+=(--super-read-only=ON)
fi

# Beside the server: a replica learns the primary's address and today's password once its socket answers.
follow_primary() {
  until as root --socket="$SOCKET" --execute='SELECT 1' > /dev/null 2>&1; do wait_a_second; done
  replication_statements | as root --socket="$SOCKET"
  until [ "$(replica_field Slave_IO_Running)" = Yes ]; do
    # The primary has cleared its log past what this replica has, and that never mends itself.
    case "$(replica_field Last_IO_Errno)" in 1236 | 13114)
      touch "$STALE"
      kill "$$"
      ;;
    esac
    wait_a_second
  done
}

# Nothing is waited for once the server is gone.
wait_a_second() {
  sleep 1
  kill -0 "$$" 2> /dev/null || exit 0
}

[ "$ORDINAL" = 0 ] || follow_primary &

exec "$SERVER" "${flags[@]}" --init-file="$CONFIG/init.sql"

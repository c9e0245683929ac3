#!/usr/bin/env bash
# Readiness: the server accepts logins and has the right role. A ping is not enough: it also succeeds with a wrong
# password, and while the server is still being set up.
set -euo pipefail
# shellcheck source=flavour.sh
. "$(dirname "$0")/flavour.sh"
MAX_LAG="${MAX_LAG:-60}"

read_only="$(as probe --socket="$SOCKET" --skip-column-names --execute='SELECT @@global.read_only')"

if [ "$ORDINAL" = 0 ]; then
  [ "$read_only" = 0 ] || { echo "the primary is read-only"; exit 1; }
  exit 0
fi

[ "$read_only" = 1 ] || { echo "the replica is not read-only"; exit 1; }
[ "$(replica_field Slave_SQL_Running)" = Yes ] || { echo "the SQL thread is not running"; exit 1; }
case "$(replica_field Slave_IO_Running)" in
  Yes)
    lag="$(replica_field Seconds_Behind_Master)"
    if [ "$MAX_LAG" != 0 ] && [ "$lag" != NULL ] && [ "$lag" -gt "$MAX_LAG" ]; then
      echo "the replica is $lag s behind"
      exit 1
    fi
    ;;
  Connecting)
    # If the primary is down, replicas must keep serving. A rejected login is an error.
    [ "$(replica_field Last_IO_Errno)" != 1045 ] || { echo "the replication password was rejected"; exit 1; }
    ;;
  *)
    echo "the IO thread is not running: $(replica_field Last_IO_Error)"
    exit 1
    ;;
esac

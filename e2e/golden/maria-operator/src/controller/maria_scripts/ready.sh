#!/usr/bin/env bash
# Readiness: the server accepts logins and has the right role. A ping is not enough: it also succeeds with a wrong
# password, and while the server is still being set up.
set -euo pipefail
# shellcheck source=flavour.sh
. "$(dirname "$0")/flavour.sh"

read_only="$(as probe --socket="$SOCKET" --skip-column-names --execute='SELECT @@global.read_only')"

if is_primary; then
  [ "$read_only" = 0 ] || { echo "the primary is read-only"; exit 1; }
  exit 0
fi

[ "$read_only" = 1 ] || { echo "the replica is not read-only"; exit 1; }
# If the primary is down, replicas must keep serving. A rejected login is an error.
if [ "$(replica_field Slave_SQL_Running)" = Yes ] && [ "$(replica_field Slave_IO_Running)" = Connecting ]; then
  [ "$(replica_field Last_IO_Errno)" != 1045 ] || { echo "the replication password was rejected"; exit 1; }
  exit 0
fi
trouble="$(why_not_following probe --socket="$SOCKET")"
[ -z "$trouble" ] || { echo "$trouble"; exit 1; }

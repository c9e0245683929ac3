#!/usr/bin/env bash
# The server's container: starts the server as this process, so that it gets the signals.
# The init file sets users and passwords at every start, so a rotation is a restart.
set -euo pipefail
# shellcheck source=flavour.sh
. "$(dirname "$0")/flavour.sh"

mapfile -t flags < <(server_flags)
if [ "$ORDINAL" = 0 ]; then
  flags+=(--read-only=OFF)
else
  flags+=(--read-only=ON)
  [ "$FLAVOUR" = mariadb ] || flags+=(--super-read-only=ON)
fi

# Beside the server: a replica learns the primary's address and today's password once its socket answers.
follow_primary() {
  until as root --socket="$SOCKET" --execute='SELECT 1' > /dev/null 2>&1; do sleep 0.2; done
  replication_statements | as root --socket="$SOCKET"
}
[ "$ORDINAL" = 0 ] || follow_primary &

exec "$SERVER" "${flags[@]}" --init-file="$CONFIG/init.sql"

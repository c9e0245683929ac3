#!/usr/bin/env bash
# Backup job: one consistent dump, complete or not there at all.
set -euo pipefail
# shellcheck source=flavour.sh
. "$(dirname "$0")/flavour.sh"
: "${BACKUP_DIR:?}" "${BACKUP_NAME:?}" "${BACKUP_HOST:?}" "${PRIMARY_HOST:?}" "${PRIMARY_PORT:?}"
KEEP="${KEEP:-7}"
MAX_LAG="${MAX_LAG:-60}"

# A replica that stands still is dumped without an error, and with old rows.
follows_primary() {
  local ask=(backup "${source[@]}")
  [ "$(replica_field Slave_IO_Running "${ask[@]}")" = Yes ] || return 1
  [ "$(replica_field Slave_SQL_Running "${ask[@]}")" = Yes ] || return 1
  [ "$MAX_LAG" = 0 ] || [ "$(replica_field Seconds_Behind_Master "${ask[@]}")" -le "$MAX_LAG" ]
}

source=(--host="$BACKUP_HOST" --port="$PORT")
if [ "$BACKUP_HOST:$PORT" != "$PRIMARY_HOST:$PRIMARY_PORT" ] && ! follows_primary; then
  echo "$BACKUP_HOST does not follow the primary, which is dumped in its place" >&2
  BACKUP_HOST="$PRIMARY_HOST"
  source=(--host="$PRIMARY_HOST" --port="$PRIMARY_PORT")
fi

final="$BACKUP_DIR/$BACKUP_NAME-$(date -u +%Y%m%dT%H%M%SZ).sql.gz"
part="$final.part"

# Without a database of its own, a MySQL is backed up with all but the server's own.
databases=("${DATABASE:-}")
if [ -z "${DATABASE:-}" ]; then
  mapfile -t databases < <(as backup "${source[@]}" --skip-column-names --execute='SHOW DATABASES' |
    grep -vxE 'mysql|sys|information_schema|performance_schema')
  [ "${#databases[@]}" -gt 0 ] || { echo "there is no database to back up" >&2; exit 1; }
fi

find "$BACKUP_DIR" -maxdepth 1 -name "$BACKUP_NAME-*.part" -delete
# MariaDB's dump says as a comment at its end how far the server was.
position=(--master-data=2)
[ "$FLAVOUR" = mariadb ] || position=(--set-gtid-purged=OFF)
"$DUMP" --defaults-file="$CONFIG/backup.cnf" "${source[@]}" \
  --single-transaction --routines --triggers --events "${position[@]}" --databases "${databases[@]}" | gzip > "$part"

# A connection that is lost in the middle can still end without an error of the pipe.
end="$(gunzip -c "$part" | tail -n 20)"
if ! tail -n 1 <<< "$end" | grep -q '^-- Dump completed'; then
  echo "the dump is not complete" >&2
  exit 1
fi
mv "$part" "$final"
gtid="$(sed -n "s/^-- SET GLOBAL gtid_slave_pos='\(.*\)';/\1/p" <<< "$end")"
echo "wrote $final from $BACKUP_HOST at $gtid"
# The pod's last words, which the operator reads.
{ echo "${BACKUP_HOST%%.*} $gtid" > /dev/termination-log; } 2> /dev/null || true

# The time in the name sorts as text; all but the newest go.
find "$BACKUP_DIR" -maxdepth 1 -name "$BACKUP_NAME-*.sql.gz" | sort -r | tail -n "+$((KEEP + 1))" | xargs -r -d '\n' rm --

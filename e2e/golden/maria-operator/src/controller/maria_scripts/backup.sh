#!/usr/bin/env bash
# Backup job: one consistent dump, complete or not there at all.
set -euo pipefail
# shellcheck source=flavour.sh
. "$(dirname "$0")/flavour.sh"
: "${BACKUP_DIR:?}" "${BACKUP_NAME:?}" "${BACKUP_HOST:?}"
KEEP="${KEEP:-7}"

final="$BACKUP_DIR/$BACKUP_NAME-$(date -u +%Y%m%dT%H%M%SZ).sql.gz"
part="$final.part"

# Without a database of its own, a MySQL is backed up with all but the server's own.
databases=("${DATABASE:-}")
if [ -z "${DATABASE:-}" ]; then
  mapfile -t databases < <(as backup --host="$BACKUP_HOST" --port="$PORT" --skip-column-names --execute='SHOW DATABASES' |
    grep -vxE 'mysql|sys|information_schema|performance_schema')
  [ "${#databases[@]}" -gt 0 ] || { echo "there is no database to back up" >&2; exit 1; }
fi

find "$BACKUP_DIR" -maxdepth 1 -name "$BACKUP_NAME-*.part" -delete
gtid=()
[ "$FLAVOUR" = mariadb ] || gtid=(--set-gtid-purged=OFF)
"$DUMP" --defaults-file="$CONFIG/backup.cnf" --host="$BACKUP_HOST" --port="$PORT" \
  --single-transaction --routines --triggers --events "${gtid[@]}" --databases "${databases[@]}" | gzip > "$part"

# A connection that is lost in the middle can still end without an error of the pipe.
if ! gunzip -c "$part" | tail -n 1 | grep -q '^-- Dump completed'; then
  echo "the dump is not complete" >&2
  exit 1
fi
mv "$part" "$final"
echo "wrote $final"

# The time in the name sorts as text; all but the newest go.
find "$BACKUP_DIR" -maxdepth 1 -name "$BACKUP_NAME-*.sql.gz" | sort -r | tail -n "+$((KEEP + 1))" | xargs -r -d '\n' rm --

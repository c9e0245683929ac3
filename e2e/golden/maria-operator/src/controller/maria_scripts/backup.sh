#!/usr/bin/env bash
# Backup job: writes one consistent dump, or none.
set -euo pipefail
# shellcheck source=flavour.sh
. "$(dirname "$0")/flavour.sh"
end_by_sigterm
: "${BACKUP_DIR:?}" "${BACKUP_NAME:?}" "${BACKUP_HOST:?}"
KEEP="${KEEP:-7}"
source=(--host="$BACKUP_HOST" --port="$PORT")
trouble=""
[ "$BACKUP_HOST:$PORT" = "$PRIMARY_HOST:$PRIMARY_PORT" ] || trouble="$(why_not_following backup "${source[@]}")"
# Such a replica can be dumped, but its data is old, or not the primary's.
if [ -n "$trouble" ]; then
  echo "$BACKUP_HOST does not follow the primary ($trouble): dumping the primary instead" >&2
  BACKUP_HOST="$PRIMARY_HOST"
  source=(--host="$PRIMARY_HOST" --port="$PRIMARY_PORT")
fi

final="$BACKUP_DIR/$BACKUP_NAME-$(date -u +%Y%m%dT%H%M%SZ).sql.gz"
part="$final-$HOSTNAME.part"

# Without a configured database, all databases but the server's own are backed up.
databases=("${DATABASE:-}")
if [ -z "${DATABASE:-}" ]; then
  mapfile -t databases < <(as backup "${source[@]}" --skip-column-names --execute='SHOW DATABASES' |
    grep -vxE 'mysql|sys|information_schema|performance_schema')
  [ "${#databases[@]}" -gt 0 ] || { echo "no database to back up" >&2; exit 1; }
fi

# prune N: keeps N other backups than the one that is being made.
prune() {
  local all
  mapfile -t all < <(list_backups | grep -vxF "$final")
  [ "${#all[@]}" -le "$1" ] || rm -- "${all[@]:$1}"
}

# Makes room before the dump, on a full volume, too; but the newest backup is kept until there is another one.
find "$BACKUP_DIR" -maxdepth 1 -name "$BACKUP_NAME-????????T??????Z.*.part" -delete
prune "$((KEEP > 1 ? KEEP - 1 : 1))"
# MariaDB's dump ends with the GTID position as a comment.
position=(--master-data=2)
[ "$FLAVOUR" = mariadb ] || position=(--set-gtid-purged=OFF)
"$DUMP" --defaults-file="$CONFIG/backup.cnf" "${source[@]}" "${TLS[@]}" \
  --single-transaction --routines --triggers --events "${position[@]}" --databases "${databases[@]}" | gzip > "$part"

# The pipe can succeed even if the connection was lost midway.
end="$(gunzip -c "$part" | tail -n 20)"
if ! tail -n 1 <<< "$end" | grep -q '^-- Dump completed'; then
  echo "the dump is incomplete" >&2
  exit 1
fi
sync "$part"
mv "$part" "$final"
gtid="$(sed -n "s/^-- SET GLOBAL gtid_slave_pos='\(.*\)';/\1/p" <<< "$end")"
echo "wrote $final from $BACKUP_HOST at $gtid"
report "${BACKUP_HOST%%.*} $gtid"
prune "$((KEEP - 1))"

#!/usr/bin/env bash
# Restore job: loads a backup into the primary; the replicas receive it by replication.
set -euo pipefail
# shellcheck source=flavour.sh
. "$(dirname "$0")/flavour.sh"
end_by_sigterm
: "${BACKUP_DIR:?}" "${BACKUP_NAME:?}" "${FILE:?}"

if [ "$FILE" = latest ]; then
  path="$(list_backups | sed -n 1p)"
  [ -n "$path" ] || { echo "no backup of $BACKUP_NAME found" >&2; exit 1; }
else
  path="$BACKUP_DIR/$FILE"
  [ -f "$path" ] || { echo "backup \"$FILE\" not found" >&2; exit 1; }
fi

# Root may write to replicas, too, and this server has been the primary when the file was mounted.
primary=(as root --host="$PRIMARY_HOST" --port="$PRIMARY_PORT")
[ "$("${primary[@]}" --skip-column-names --execute='SELECT @@global.read_only')" = 0 ] || { echo "$PRIMARY_HOST is read-only" >&2; exit 1; }

# Reads the whole file before writing anything.
gunzip -t "$path"
gunzip -c "$path" | tail -n 1 | grep -q '^-- Dump completed' || { echo "\"$path\" is incomplete" >&2; exit 1; }
gunzip -c "$path" | "${primary[@]}"
echo "restored $path"

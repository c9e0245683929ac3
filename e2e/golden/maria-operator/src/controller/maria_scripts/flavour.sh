#!/usr/bin/env bash
# Differences between MariaDB and MySQL. Sourced by the other scripts.
# MariaDB images since 11.0 have no mysql* programs, and MySQL images have no mariadb*, so check what exists.
# This project's tests run MariaDB. The commands for MySQL are written from its manual: with a real one, no replica becomes ready.

DATADIR="${DATADIR:-/var/lib/mysql}"
RUNDIR="${RUNDIR:-/run/mysqld}"
CONFIG="${CONFIG:-/etc/mysql-operator}"
PORT="${PORT:-3306}"
ORDINAL="${ORDINAL:-${HOSTNAME##*-}}"
SOCKET="$RUNDIR/mysqld.sock"
REPORT="${REPORT:-/dev/termination-log}"

# The mark of initialized data. It holds the name of the data's history: a primary that starts empty begins a new one,
# and replicas copy it. Older versions wrote an empty mark.
export MARK="$DATADIR/.operator-initialized"
# Marks of a replica that can't follow: the primary has purged the logs it needs, or lacks what the replica has.
export STALE="$DATADIR/.operator-stale" AHEAD="$DATADIR/.operator-ahead"

# Marks that a switchover leaves in the data of the primary that was and of the one that is, because it takes a while
# until all servers see the operator's word.
DRAINED="$DATADIR/.operator-drained"
PROMOTED="$DATADIR/.operator-promoted"

# The operator writes who is primary, and whether to connect with TLS. It changes while servers run.
read_primary() {
  local tls mode=(--ssl-verify-server-cert)
  [ "$FLAVOUR" = mariadb ] || mode=(--ssl-mode=VERIFY_IDENTITY)
  read -r PRIMARY PRIMARY_HOST PRIMARY_PORT tls <<< "$(cat "$CONFIG/primary")"
  TLS=()
  [ -z "$tls" ] || TLS=("${mode[@]}" --ssl-ca="$CONFIG/ca.crt")
}

# Returns whether this server is the primary.
is_primary() { [ ! -e "$DRAINED" ] && { [ "$ORDINAL" = "$PRIMARY" ] || [ -e "$PROMOTED" ]; }; }

# save FILE TEXT: replaces a file as a whole. If the disk is full, or the container is killed, it stays as it was.
save() {
  [ "$(cat "$1" 2> /dev/null)" != "$2" ] || return 0
  echo "$2" > "$1.new" && sync "$1.new" && mv "$1.new" "$1"
}

# Bash does not end by SIGTERM while it waits for a program, or as the first process of a container: its work is a child's.
end_by_sigterm() {
  [ -z "${IS_CHILD:-}" ] || return 0
  IS_CHILD=true "$0" &
  trap 'kill "$!"; exit 143' TERM
  wait "$!"
  exit
}

# report TEXT: passes a line to the operator by way of the container's termination message.
report() { { echo "$*" > "$REPORT"; } 2> /dev/null || true; }

if command -v mariadbd > /dev/null; then
  export FLAVOUR=mariadb SERVER=mariadbd CLIENT=mariadb DUMP=mariadb-dump ADMIN=mariadb-admin
  # What this server has last, written by itself or by a primary. A copy has nothing in its own log yet.
  export POSITION="COALESCE(NULLIF(@@gtid_binlog_pos, ''), @@gtid_slave_pos)"
else
  export FLAVOUR=mysql SERVER=mysqld CLIENT=mysql DUMP=mysqldump ADMIN=mysqladmin POSITION=@@gtid_executed
fi
read_primary

# as USER ARGS...: runs the client as a user for whom the operator wrote an option file.
as() {
  local user="$1" tls=()
  shift
  # What goes through a socket does not leave the pod.
  [[ "$*" != *--host=* ]] || tls=("${TLS[@]}")
  "$CLIENT" --defaults-file="$CONFIG/$user.cnf" --connect-timeout=10 --batch "${tls[@]}" "$@"
}

# The operator's own server flags; all other settings come from my.cnf. Every run has its own server id, which is part of
# its GTIDs: so a primary with lost or older data never writes a GTID again that a replica already has.
server_flags() {
  local id
  id="$(od -An -N4 -tu4 /dev/urandom)"
  printf '%s\n' "--defaults-file=$CONFIG/my.cnf" "--datadir=$DATADIR" "--socket=$SOCKET" "--port=$PORT" \
    "--pid-file=$RUNDIR/mysqld.pid" "--server-id=$((id % 4294967000 + 200))" --log-bin=binlog --relay-log=relay-bin --secure-file-priv=
  [ ! -e "$CONFIG/tls.crt" ] || printf '%s\n' "--ssl-cert=$CONFIG/tls.crt" "--ssl-key=$CONFIG/tls.key" "--ssl-ca=$CONFIG/ca.crt"
  if [ "$FLAVOUR" = mariadb ]; then
    printf '%s\n' --gtid-strict-mode=ON --log-slave-updates=ON --skip-slave-start
  else
    # MySQL's GTIDs have the UUID of this file instead, which is created at startup.
    rm -f "$DATADIR/auto.cnf"
    printf '%s\n' --gtid-mode=ON --enforce-gtid-consistency=ON --skip-replica-start
  fi
}

# Keeps the directory itself, which is a mount point. The mark goes first: without it, what is left counts as incomplete.
create_system_tables() {
  rm -f "$MARK"
  find "$DATADIR" -mindepth 1 -maxdepth 1 ! -name lost+found -exec rm -rf {} +
  if [ "$FLAVOUR" = mariadb ]; then
    # --cross-bootstrap omits root@HOSTNAME, which would have no password.
    mariadb-install-db --no-defaults --datadir="$DATADIR" --auth-root-authentication-method=normal \
      --skip-test-db --cross-bootstrap > /dev/null
  else
    mysqld --no-defaults --initialize-insecure --datadir="$DATADIR"
  fi
}

# Dumps a consistent snapshot of all databases for a replica, with its position in the log.
dump_for_replica() {
  local options=(--all-databases --single-transaction --routines --triggers --events --flush-privileges)
  if [ "$FLAVOUR" = mariadb ]; then
    options+=(--master-data=1 --gtid)
  else
    options+=(--source-data=1 --set-gtid-purged=ON)
  fi
  "$DUMP" --defaults-file="$CONFIG/backup.cnf" --host="$PRIMARY_HOST" --port="$PRIMARY_PORT" "${TLS[@]}" "${options[@]}"
}

# Statements that point a replica to the primary with the current password.
replication_statements() {
  local password ssl=0
  [ "${#TLS[@]}" = 0 ] || ssl=1
  password="$(sql_text < "$CONFIG/password-replication")"
  if [ "$FLAVOUR" = mariadb ]; then
    printf "STOP SLAVE; SET GLOBAL gtid_slave_pos = $POSITION; CHANGE MASTER TO MASTER_HOST='%s', MASTER_PORT=%s, MASTER_USER='operator_replication', MASTER_PASSWORD='%s', MASTER_SSL=$ssl, MASTER_SSL_VERIFY_SERVER_CERT=$ssl, MASTER_SSL_CA='$CONFIG/ca.crt', MASTER_CONNECT_RETRY=2, MASTER_USE_GTID=slave_pos; START SLAVE;\n" \
      "$PRIMARY_HOST" "$PRIMARY_PORT" "$password"
  else
    printf "STOP REPLICA; CHANGE REPLICATION SOURCE TO SOURCE_HOST='%s', SOURCE_PORT=%s, SOURCE_USER='operator_replication', SOURCE_PASSWORD='%s', SOURCE_SSL=$ssl, SOURCE_SSL_VERIFY_SERVER_CERT=$ssl, SOURCE_SSL_CA='$CONFIG/ca.crt', SOURCE_CONNECT_RETRY=2, SOURCE_AUTO_POSITION=1, GET_SOURCE_PUBLIC_KEY=1; START REPLICA;\n" \
      "$PRIMARY_HOST" "$PRIMARY_PORT" "$password"
  fi
}

# Has a server use a renewed certificate. Connections stay. It is not written to the binary log.
take_certificate() {
  local statement='FLUSH LOCAL SSL'
  [ "$FLAVOUR" = mariadb ] || statement='ALTER INSTANCE RELOAD TLS'
  as root --socket="$SOCKET" --execute="$statement"
}

# Statements that make a replica the primary. The last one is an empty transaction, by which replicas know its run.
promotion_statements() {
  if [ "$FLAVOUR" = mariadb ]; then
    echo 'STOP SLAVE; RESET SLAVE ALL; SET GLOBAL read_only=OFF; FLUSH USER_RESOURCES;'
  else
    echo 'STOP REPLICA; RESET REPLICA ALL; SET GLOBAL super_read_only=OFF; SET GLOBAL read_only=OFF; FLUSH USER_RESOURCES;'
  fi
}

# Escapes standard input for single quotes in a statement.
sql_text() { sed -e 's/\\/\\\\/g' -e "s/'/''/g"; }

# Prints the paths of the backups, the newest first, without files that others gave names of their own. The times in their names sort as text. Times in the future are from a
# clock that was wrong: they come last.
list_backups() {
  local file past=() future=() now
  now="$BACKUP_DIR/$BACKUP_NAME-$(date -u +%Y%m%dT%H%M%SZ).sql.gz"
  while read -r file; do
    if [[ "$file" > "$now" ]]; then future+=("$file"); else past+=("$file"); fi
  done < <(find "$BACKUP_DIR" -maxdepth 1 -name "$BACKUP_NAME-????????T??????Z.sql.gz" | sort -r)
  for file in "${past[@]}" "${future[@]}"; do echo "$file"; done
}

# replica_field NAME [USER ARGS...]: prints a field of a replica's status; by default, of this server's. The name is
# MariaDB's; MySQL 8.4 has different names.
replica_field() {
  local statement='SHOW SLAVE STATUS\G' name="$1"
  shift
  [ $# -gt 0 ] || set -- probe --socket="$SOCKET"
  if [ "$FLAVOUR" = mysql ]; then
    statement='SHOW REPLICA STATUS\G'
    name="$(printf '%s' "$name" | sed -e 's/^Slave_/Replica_/' -e 's/Master/Source/')"
  fi
  as "$@" --execute="$statement" | sed -n "s/^ *$name: //p"
}

# Prints why a replica does not follow the primary's present run, if so. Arguments as above. At its start a primary writes
# a transaction of its own: a replica that received one from this run has nothing that the primary lacks.
why_not_following() {
  local lag position run
  [ "$(replica_field Slave_SQL_Running "$@")" = Yes ] || { echo "the SQL thread is not running"; return; }
  [ "$(replica_field Slave_IO_Running "$@")" = Yes ] || { echo "the IO thread is not running: $(replica_field Last_IO_Error "$@")"; return; }
  lag="$(replica_field Seconds_Behind_Master "$@")"
  if [ "${MAX_LAG:-60}" != 0 ] && [ "$lag" != NULL ] && [ "$lag" -gt "${MAX_LAG:-60}" ]; then echo "the replica is $lag s behind"; fi
  if [ "$FLAVOUR" = mariadb ]; then
    position="$(replica_field Gtid_IO_Pos "$@")" run="-$(replica_field Master_Server_Id "$@")-"
  else
    position="$(replica_field Executed_Gtid_Set "$@")" run="$(replica_field Master_UUID "$@")"
  fi
  [ -z "$position" ] || [[ "$position" = *"$run"* ]] || echo "the replica has transactions that the primary may not have"
}

# history_holds POSITION: returns whether the primary once had this replica's last transaction, 2 if it doesn't answer.
history_holds() {
  local ask=(as backup --host="$PRIMARY_HOST" --port="$PRIMARY_PORT" --skip-column-names --execute) answer
  if [ "$FLAVOUR" = mysql ]; then
    answer="$("${ask[@]}" "SELECT GTID_SUBSET('$1', @@gtid_executed)")" || return 2
    [ "$answer" = 1 ]
    return
  fi
  answer="$("${ask[@]}" "SELECT CONCAT_WS(',', @@gtid_slave_pos, @@gtid_binlog_state)")" || return 2
  local domain server number run
  IFS=- read -r domain server number <<< "${1%%,*}"
  [ -n "$number" ] || return 0
  for run in ${answer//,/ }; do
    [[ "$run" = "$domain-$server-"* ]] && [ "${run##*-}" -ge "$number" ] && return 0
  done
  return 1
}

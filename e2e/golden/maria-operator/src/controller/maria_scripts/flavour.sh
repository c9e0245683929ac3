#!/usr/bin/env bash
# Differences between MariaDB and MySQL. Sourced by the other scripts.
# MariaDB images since 11.0 have no mysql* programs, and MySQL images have no mariadb*, so check what exists.
# This project's tests run MariaDB; the commands for MySQL 8.4 are written from its manual and not tested.

DATADIR="${DATADIR:-/var/lib/mysql}"
RUNDIR="${RUNDIR:-/run/mysqld}"
CONFIG="${CONFIG:-/etc/mysql-operator}"
PORT="${PORT:-3306}"
ORDINAL="${ORDINAL:-${HOSTNAME##*-}}"
SOCKET="$RUNDIR/mysqld.sock"

if command -v mariadbd > /dev/null; then
  export FLAVOUR=mariadb SERVER=mariadbd CLIENT=mariadb DUMP=mariadb-dump ADMIN=mariadb-admin
else
  export FLAVOUR=mysql SERVER=mysqld CLIENT=mysql DUMP=mysqldump ADMIN=mysqladmin
fi

# as USER ARGS...: runs the client as a user for whom the operator wrote an option file.
as() {
  local user="$1"
  shift
  "$CLIENT" --defaults-file="$CONFIG/$user.cnf" --batch "$@"
}

# The operator's own server flags; all other settings come from my.cnf.
server_flags() {
  printf '%s\n' "--defaults-file=$CONFIG/my.cnf" "--datadir=$DATADIR" "--socket=$SOCKET" "--port=$PORT" \
    "--pid-file=$RUNDIR/mysqld.pid" "--server-id=$((100 + ORDINAL))" --log-bin=binlog --relay-log=relay-bin
  if [ "$FLAVOUR" = mariadb ]; then
    printf '%s\n' --gtid-strict-mode=ON --log-slave-updates=ON --skip-slave-start
  else
    printf '%s\n' --gtid-mode=ON --enforce-gtid-consistency=ON --skip-replica-start
  fi
}

create_system_tables() {
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
  "$DUMP" --defaults-file="$CONFIG/backup.cnf" --host="$PRIMARY_HOST" --port="$PRIMARY_PORT" "${options[@]}"
}

# Statements that point a replica to the primary with the current password.
replication_statements() {
  local password
  password="$(sql_text < "$CONFIG/password-replication")"
  if [ "$FLAVOUR" = mariadb ]; then
    printf "STOP SLAVE; CHANGE MASTER TO MASTER_HOST='%s', MASTER_PORT=%s, MASTER_USER='operator_replication', MASTER_PASSWORD='%s', MASTER_CONNECT_RETRY=2, MASTER_USE_GTID=slave_pos; START SLAVE;\n" \
      "$PRIMARY_HOST" "$PRIMARY_PORT" "$password"
  else
    printf "STOP REPLICA; CHANGE REPLICATION SOURCE TO SOURCE_HOST='%s', SOURCE_PORT=%s, SOURCE_USER='operator_replication', SOURCE_PASSWORD='%s', SOURCE_CONNECT_RETRY=2, SOURCE_AUTO_POSITION=1, GET_SOURCE_PUBLIC_KEY=1; START REPLICA;\n" \
      "$PRIMARY_HOST" "$PRIMARY_PORT" "$password"
  fi
}

# Escapes standard input for single quotes in a statement.
sql_text() { sed -e 's/\\/\\\\/g' -e "s/'/''/g"; }

# replica_field NAME [USER ARGS...]: prints a field of a replica's status; by default, of this server's. The name is
# MariaDB's; MySQL 8.4 has different names.
replica_field() {
  local statement='SHOW SLAVE STATUS\G' name="$1"
  shift
  [ $# -gt 0 ] || set -- probe --socket="$SOCKET"
  if [ "$FLAVOUR" = mysql ]; then
    statement='SHOW REPLICA STATUS\G'
    name="$(printf '%s' "$name" | sed -e 's/^Slave_/Replica_/' -e 's/_Master$/_Source/')"
  fi
  as "$@" --execute="$statement" | sed -n "s/^ *$name: //p"
}

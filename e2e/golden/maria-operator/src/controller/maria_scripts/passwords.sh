#!/usr/bin/env bash
# Passwords job: running servers accept the passwords that others read when they start. Can be repeated.
set -euo pipefail
# shellcheck source=flavour.sh
. "$(dirname "$0")/flavour.sh"
end_by_sigterm
: "${HOSTS:?}" "${PASSWORDS:?}"

# fail TEXT: ends this attempt.
fail() { report "$1" && echo "$1" >&2 && exit 1; }

[[ "$(sha256sum "$CONFIG/passwords.sql")" = "$PASSWORDS"* ]] || fail "the mounted passwords are older ones"
for host in $HOSTS; do
  error="$({
    # Replicas of MySQL refuse writes of root, too.
    echo '/*!80000 SET @strict = @@global.super_read_only, GLOBAL super_read_only = OFF */;'
    cat "$CONFIG/passwords.sql"
    echo '/*!80000 SET GLOBAL super_read_only = @strict */;'
  } | as root --host="${host%:*}" --port="${host#*:}" 2>&1)" && continue
  # Nothing listens, or there is no such pod: it reads the file when it starts.
  why="$( (: < "/dev/tcp/${host%:*}/${host#*:}") 2>&1)" || true
  case "$why" in *'Connection refused'* | *'Name or service not known'*) ;; *) fail "$host: $error" ;; esac
done

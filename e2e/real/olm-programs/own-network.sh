#!/bin/sh
# Runs a command in a network of its own, where the catalogs of store-operator have the address of this machine.
set -eu
if ! unshare --net --mount true 2> /dev/null; then exec "$@"; fi
# shellcheck disable=SC2016 # the inner shell expands "$@"
exec unshare --net --mount --pid --fork --mount-proc --kill-child sh -eu -c '
  ip link set lo up
  # An API server looks for a default route.
  ip link add own type bridge
  ip address add 10.99.0.1/24 dev own
  ip link set own up
  ip route add default dev own
  hosts=$(mktemp)
  echo "127.0.0.1 localhost store-operator-catalog.store-operator-system.svc" > "$hosts"
  mount --bind "$hosts" /etc/hosts
  rm "$hosts"
  TSBUILDER_OLM_NETWORK=own exec "$@"
' sh "$@"

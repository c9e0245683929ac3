#!/bin/bash
# Holds a sandbox of its own mount, network, process, host name and IPC namespaces until standard input ends, which it
# also does when the process that started this is killed. Then nothing is left of it: processes, mounts, links and
# iptables end with their namespaces; control groups and the folder are removed here.
#   keeper.sh FOLDER CONTROL_GROUP
set -u
folder=$1 group=$2
setpriv --pdeathsig KILL unshare --mount --net --pid --uts --ipc --fork --mount-proc --kill-child \
  /bin/bash "$(dirname "$0")/prepare-sandbox.sh" "$folder" "$group" > "$folder/logs/sandbox.log" 2>&1 &
holder=$!
init=
while [ -z "$init" ] && kill -0 "$holder" 2> /dev/null; do
  init=$(cat "/proc/$holder/task/$holder/children" 2> /dev/null)
  init=${init%% *}
  [ -f "$folder/prepared" ] || { init=; sleep 0.05; }
done
[ -n "$init" ] && echo "ready $init" || echo "failed"
cat > /dev/null
[ -n "$init" ] && kill -9 "$init" 2> /dev/null
wait "$holder"
for hierarchy in /sys/fs/cgroup/*/ /sys/fs/cgroup/; do
  [ -d "$hierarchy$group" ] && find "$hierarchy$group" -depth -type d -exec rmdir {} + 2> /dev/null
done
rm -rf "$folder"

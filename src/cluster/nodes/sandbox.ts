import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { volumesFolder } from "../kinds/core/persistent-volume/persistent-volume-controller.ts";
import { clusterDNS } from "./node-files.ts";

/** Mount, network, process, host name and IPC namespaces in which the programs of nodes run without touching the machine. */
export interface Sandbox {
  /** Everything that its programs write; deleted with it. */
  readonly folder: string;
  /** The control group below which its containers run, in every hierarchy. */
  readonly group: string;
  /** The words before a command that runs in it; they need root. */
  readonly enter: readonly string[];
  /** Returns addresses of a name that its file of hosts has. */
  readonly findHost: (name: string) => string[];
  /** Ends all that runs in it and deletes its folder; resolves when nothing is left. */
  readonly stop: () => Promise<void>;
}

/** The prefix of each sandbox's folder. It is not on a file system in memory, as it holds containers' layers. */
export const sandboxFolders = "/var/tmp/tsbuilder-node-";

/** The address of all nodes of a sandbox. */
export const sandboxAddress = "10.200.0.1";

/** Starts a sandbox with a control group for each node. Nothing of it is left when this process ends, however it does. */
export async function startSandbox(nodeNames: readonly string[]): Promise<Sandbox> {
  const folder = newFolder(sandboxFolders);
  const group = basename(folder);
  const keeper = spawn("bash", ["-c", keeperScript, "keeper.sh", folder, group, ...nodeNames], {
    // It outlives a Ctrl-C in the terminal, to clean up.
    detached: true,
    env: { ...process.env, prepare: prepareScript },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const gone = new Promise<void>((resolve) => keeper.once("exit", () => resolve()));
  const stop = (): Promise<void> => {
    keeper.stdin.end();
    return gone;
  };
  const init = /^ready (\d+)$/.exec(await firstLine(keeper))?.[1];
  if (init === undefined) {
    const file = join(folder, "logs/sandbox.log");
    const log = existsSync(file) ? readFileSync(file, "utf8") : "";
    await stop();
    throw new Error(`the namespaces of nodes can't be made:\n${log}`);
  }
  const enter = ["nsenter", "--target", init, "--mount", "--net", "--pid", "--uts", "--ipc", "--"];
  const hosts = join(folder, "layers/etc/upper/hosts");
  const findHost = (name: string): string[] => {
    const entries = readFileSync(hosts, "utf8")
      .split("\n")
      .map((line) => line.trim().split(/\s+/u));
    return entries.flatMap(([address = "", ...names]) => (names.includes(name) ? address : []));
  };
  return { folder, group, enter, findHost, stop };
}

/** Names a folder that whoever deletes it makes, too: one that is made before would stay if this process was killed in between. */
export function newFolder(prefix: string): string {
  return `${prefix}${randomBytes(6).toString("hex")}`;
}

/** Returns the first line that a process prints; the empty string if there is none. */
export function firstLine(keeper: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    createInterface({ input: keeper.stdout! })
      .once("line", resolve)
      .once("close", () => resolve(""));
  });
}

/**
 * Holds the namespaces until standard input ends, which it also does when the process that started this is killed. Then
 * processes, mounts, links and iptables end with their namespaces; control groups and the folder are deleted here.
 */
const keeperScript = `
set -u
# If nobody is left to read that it is ready, it cleans up as at any other time.
trap : PIPE
folder=$1 group=$2
mkdir -m 700 "$folder" && mkdir "$folder/logs" "$folder/volumes" || exit 1
setpriv --pdeathsig KILL unshare --mount --net --pid --uts --ipc --fork --mount-proc --kill-child \\
  bash -c "$prepare" prepare.sh "$@" > "$folder/logs/sandbox.log" 2>&1 &
holder=$!
init=
while [ -z "$init" ] && kill -0 "$holder" 2> /dev/null; do
  init=$(cat "/proc/$holder/task/$holder/children" 2> /dev/null)
  init=\${init%% *}
  [ -f "$folder/prepared" ] || { init=; sleep 0.05; }
done
{ [ -n "$init" ] && echo "ready $init" || echo "failed"; } 2> /dev/null
cat > /dev/null
[ -n "$init" ] && kill -9 "$init" 2> /dev/null
wait "$holder"
for hierarchy in /sys/fs/cgroup/*/ /sys/fs/cgroup/; do
  [ -d "$hierarchy$group" ] && find "$hierarchy$group" -depth -type d -exec rmdir {} + 2> /dev/null
done
rm -rf "$folder"
`;

/** Copies of what a kubelet would set for the whole machine, unless it is what the kubelet wants. */
export const hideSettings = `
while read -r setting value; do
  [ -e "/proc/sys/$setting" ] || continue
  echo "$value" > "$folder/sysctl-\${setting//\\//-}"
  mount --bind "$folder/sysctl-\${setting//\\//-}" "/proc/sys/$setting"
done << END
vm/overcommit_memory 1
vm/panic_on_oom 0
kernel/panic 10
kernel/panic_on_oops 1
kernel/keys/root_maxkeys 1000000
kernel/keys/root_maxbytes 25000000
END
`;

/** The first process of the namespaces: gives nodes what they expect of their machine, and then adopts orphans. */
const prepareScript = `
set -eu
folder=$1 group=$2
shift 2
# One hierarchy, or one for each controller.
if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
  mkdir "/sys/fs/cgroup/$group"
  for controller in $(cat "/sys/fs/cgroup/$group/cgroup.controllers"); do
    echo "+$controller" > "/sys/fs/cgroup/$group/cgroup.subtree_control"
  done
  for node; do mkdir "/sys/fs/cgroup/$group/$node"; done
else for hierarchy in /sys/fs/cgroup/*/; do for node; do mkdir -p "$hierarchy$group/$node"; done; done
fi
mount --make-rshared /
for private in /run /var/log; do mount -t tmpfs tmpfs "$private"; done
mkdir -p /run/netns /run/lock
# What is written here stays here.
for shared in /etc /var/lib; do
  layers=$folder/layers$shared
  mkdir -p "$layers/upper" "$layers/work"
  mount -t overlay overlay -o "lowerdir=$shared,upperdir=$layers/upper,workdir=$layers/work" "$shared"
done
mkdir -p ${volumesFolder}
mount --bind "$folder/volumes" ${volumesFolder}
rm -f /etc/resolv.conf /etc/hosts
echo nameserver ${clusterDNS} > /etc/resolv.conf
printf '127.0.0.1 localhost\\n${sandboxAddress} %s\\n' "$*" > /etc/hosts
${hideSettings}
hostname "$1"
ip link set lo up
ip link add node0 type bridge
ip address add ${sandboxAddress}/24 dev node0
ip link set node0 up
# Without it the node can't reach Services: only packets on their way somewhere are rewritten.
ip route add default dev node0
echo 1 > /proc/sys/net/ipv4/ip_forward
touch "$folder/prepared"
while true; do sleep 1000000 & wait $!; done
`;

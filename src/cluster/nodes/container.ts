import { execFile, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import type { Connect } from "../contract/kubelet-tls.ts";
import { volumesFolder } from "../kinds/core/persistent-volume/persistent-volume-controller.ts";
import { type Ground, type Machine, NodesError } from "./ground.ts";
import type { NodeNetwork } from "./node-network.ts";
import { firstLine, newFolder, hideSettings } from "./sandbox.ts";

/** The folder of a container for what its node's programs write, of which the socket of containerd is one. */
const data = "/var/lib/tsbuilder";

/** A container that has started. */
interface NodeContainer {
  readonly name: string;
  /** The words before a command that runs in it. */
  readonly enter: readonly string[];
  readonly address: string;
  /** This machine's address as the container sees it. */
  readonly outside: string;
  /** The folder with CNI's plugins. */
  readonly plugins: string;
  stop(): Promise<void>;
}

/** Starts a privileged container for each node. None is left when this process ends, however it does. */
export async function startContainers(image: string, names: readonly string[]): Promise<Ground> {
  const engine = await findEngine();
  await findImage(engine, image);
  const folder = newFolder(join(tmpdir(), "tsbuilder-node-"));
  const starting = names.map((name) => startContainer(engine, image, folder, name));
  const settled = await Promise.allSettled(starting);
  const containers = settled.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
  const stop = async (): Promise<void> => {
    await Promise.all(containers.map((container) => container.stop()));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await Promise.all(starting);
    const network = await openNetwork(containers[0]!);
    const machines = containers.map((container, index) => machineOf(container, index, folder));
    await addRoutes(machines);
    const close = async (): Promise<void> => {
      network.close();
      await stop();
    };
    return { folder, machines, network, resolveOutside, stop: close };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function findEngine(): Promise<string> {
  const problems: string[] = [];
  for (const engine of ["docker", "podman"]) {
    const problem = await run(engine, "info").then(() => undefined, problemOf);
    if (problem === undefined) return engine;
    problems.push(`${engine}: ${problem}`);
  }
  throw new NodesError(
    `no container engine responds, and nodes are containers\n${problems.join("\n")}`,
    "start Docker or podman; or, on Linux as root, run nodes from programs with --node-programs DIR, in which are kubelet and kube-proxy",
  );
}

async function findImage(engine: string, image: string): Promise<void> {
  const problem = await run(engine, "image", "inspect", image).then(() => undefined, problemOf);
  if (problem === undefined) return;
  // It may take minutes: the engine's progress is shown.
  const pull = spawn(engine, ["pull", image], { stdio: ["ignore", 2, "pipe"] });
  const [told, [code]] = await Promise.all([text(pull.stderr!), once(pull, "exit")]);
  if (code === 0) return;
  throw new NodesError(
    `there is no image ${image} for nodes, and ${engine} can't pull it: ${lastLine(told)}`,
    "name another with --node-image: one that has containerd, runc, CNI's plugins, kubelet and kube-proxy, such as those of kind",
  );
}

/** The last line of what a program said, or why there is none. */
function problemOf({ code, message, stderr }: Error & { code?: unknown; stderr?: string }): string {
  return code === "ENOENT" ? "not on the PATH" : lastLine(stderr || message);
}

function lastLine(told: string): string {
  return told.trim().split("\n").at(-1)!;
}

async function run(program: string, ...words: readonly string[]): Promise<string> {
  return (await promisify(execFile)(program, words, { maxBuffer: 2 ** 26 })).stdout;
}

const containerFlags = `run --rm --interactive --label=dev.tsbuilder.node
--privileged --cgroupns=private --security-opt=seccomp=unconfined --tmpfs=/run`;

async function startContainer(
  engine: string,
  image: string,
  folder: string,
  node: string,
): Promise<NodeContainer> {
  const name = `${basename(folder)}-${node}`.toLowerCase();
  const mounts = [
    `${folder}:${folder}`,
    `${folder}/volumes:${volumesFolder}`,
    "/var",
    "/lib/modules:/lib/modules:ro",
  ];
  const words = [
    ...containerFlags.split(/\s+/u),
    ...mounts.flatMap((mount) => ["--volume", mount]),
    `--name=${name}`,
    `--hostname=${node}`,
    "--entrypoint=bash",
    image,
    join(folder, "first.sh"),
    folder,
  ];
  // It outlives a Ctrl-C in the terminal, and this process, to clean up: the container ends with its standard input. The folder, with
  // the volumes of all nodes, stays as long as that is open, also when this container dies.
  const keeper = ["-c", keeperScript, folder, engine, ...words];
  const env = { ...process.env, first: firstScript };
  const child = spawn("sh", keeper, { detached: true, env, stdio: ["pipe", "pipe", "pipe"] });
  let told = "";
  child.stderr.on("data", (more: Buffer) => (told = `${told}${more.toString()}`.slice(-2000)));
  const gone = once(child, "exit");
  const line = await firstLine(child);
  const [address, outside, plugins] = /^ready (\S+) (\S+) (\S+)$/u.exec(line)?.slice(1) ?? [];
  if (address === undefined || outside === undefined || plugins === undefined) {
    child.stdin.end();
    await gone;
    throw new NodesError(
      `the container of ${node} does not start:\n${line}${told.trim()}`,
      `use an image for nodes with --node-image; ${image} needs bash, iproute2, iptables and CNI's plugin ptp`,
    );
  }
  const stop = async (): Promise<void> => {
    child.stdin.end();
    await gone;
  };
  return { name: node, enter: [engine, "exec", "--interactive", name], address, outside, plugins, stop };
}

/** Each makes the folder, as it may be the only one that is left to delete it. */
const keeperScript = `
mkdir -p -m 700 "$0" && mkdir -p "$0/logs" "$0/volumes" || exit 1
printf %s "$first" > "$0/first.$$" && mv "$0/first.$$" "$0/first.sh"
"$@"
exec > /dev/null
cat
rm -rf "$0"`;

function machineOf({ name, enter, address, plugins }: NodeContainer, index: number, folder: string): Machine {
  const place = { name, index, address, folder, data, plugins, group: "/" };
  // Images of kind have some images there.
  return { enter, nodes: [{ ...place, podRange: `10.245.${index}.0/24`, images: "/var/lib/containerd" }] };
}

/** Lets the pods of each node reach those of the others. */
async function addRoutes(machines: readonly Machine[]): Promise<void> {
  const places = machines.flatMap(({ nodes }) => nodes);
  for (const { enter, nodes } of machines)
    for (const other of places.filter((place) => !nodes.includes(place))) {
      const [program = "", ...words] = enter;
      await run(program, ...words, "ip", "route", "add", other.podRange, "via", other.address);
    }
}

/** Listens where containers reach this machine: at its address in their network, or, behind Docker Desktop, on loopback. */
async function openNetwork({ enter, outside }: NodeContainer): Promise<NodeNetwork> {
  const host = process.platform === "linux" ? outside : "127.0.0.1";
  const [api, dnsByTcp] = [createServer(), createServer()];
  const dns = createSocket("udp4");
  try {
    await Promise.all([api, dnsByTcp].map((server) => once(server.listen(0, host), "listening")));
    await once(dns.bind((dnsByTcp.address() as AddressInfo).port, host), "listening");
  } catch (error) {
    throw new NodesError(
      `containers do not reach this machine at ${host}: ${(error as Error).message}`,
      "use an engine that runs as root, or Docker Desktop",
    );
  }
  const ports = { api: (api.address() as AddressInfo).port, dns: dns.address().port };
  const close = (): void => {
    for (const each of [api, dns, dnsByTcp]) each.close();
  };
  return { address: outside, ports, api, dns, dnsByTcp, connect: connectFrom(enter), close };
}

/** Connects by way of a container: what pods and Services listen on is not reached from outside of all engines. */
function connectFrom(enter: readonly string[]): Connect {
  return async (host, port) => {
    const [program, ...words] = [...enter, "bash", "-c", connectScript, host, String(port)];
    const child = spawn(program, words, { stdio: ["pipe", "pipe", "pipe"] });
    const stream = Duplex.from({ readable: child.stdout, writable: child.stdin });
    let told = "";
    child.stderr.on("data", (more: Buffer) => (told += more.toString()));
    child.once("error", (error) => stream.destroy(error));
    child.once("exit", (code) => {
      if (code !== 0) stream.destroy(new Error(told.trim() || `cannot connect to ${host}:${port}`));
    });
    stream.once("close", () => child.kill());
    return stream;
  };
}

const connectScript = `exec 3<> "/dev/tcp/$0/$1" || exit 1
exec 4<&0
cat <&4 >&3 &
cat <&3
kill $! 2> /dev/null
exit 0`;

async function resolveOutside(name: string): Promise<string[]> {
  const found = await lookup(name, { all: true, family: 4 }).catch(() => []);
  return found.map(({ address }) => address);
}

/** The first process of a container: gives the node what it expects of its machine, and ends with its standard input. */
const firstScript = `
set -eu
folder=$1
mount --make-rshared /
${hideSettings}
# Only a group without processes can have groups with limits.
if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
  mkdir -p /sys/fs/cgroup/init
  while read -r process; do echo "$process" > /sys/fs/cgroup/init/cgroup.procs || true
  done < /sys/fs/cgroup/cgroup.procs
  for controller in $(cat /sys/fs/cgroup/cgroup.controllers); do
    echo "+$controller" > /sys/fs/cgroup/cgroup.subtree_control || true
  done
fi
mkdir -p ${data}
echo 1 > /proc/sys/net/ipv4/ip_forward
# Images of kind have kube-proxy as an image only.
command -v kube-proxy > /dev/null || {
  cat > /usr/local/bin/kube-proxy << 'END'
#!/bin/bash
ctr="ctr --address ${data}/containerd.sock --namespace k8s.io images"
until image=$($ctr ls --quiet | grep --max-count 1 '/kube-proxy[-a-z0-9]*:'); do sleep 0.1; done
mkdir -p /kube-proxy && $ctr mount "$image" /kube-proxy > /dev/null
exec /kube-proxy/usr/local/bin/kube-proxy "$@"
END
  chmod +x /usr/local/bin/kube-proxy
}
for plugins in /opt/cni/bin /usr/lib/cni /usr/libexec/cni ""; do [ -x "$plugins/ptp" ] && break; done
read -r _ _ _ address _ < <(ip -o -4 address show scope global)
read -r outside _ < <(getent ahostsv4 host.docker.internal) || read -r _ _ outside _ < <(ip -4 route show default)
echo "ready \${address%/*} $outside $plugins"
cat > /dev/null
# A pod that still writes would make new files, which belong to root.
[ $$ != 1 ] || kill -9 -1 || true
rm -rf "$folder"/* ${volumesFolder}/*
`;

// Real nodes of the embedded cluster: kubelets, containerd and kube-proxy, whose pods have containers. Begin here. `ground.ts` says
// where their programs run: in namespaces of this machine (`sandbox.ts`), or in containers (`container.ts`). `node-network.ts` is how
// nodes and this process reach each other, `node-files.ts` their configuration, `dns.ts` what the cluster's names mean.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { writeFileSync } from "node:fs";
import { once } from "node:events";
import { type Server, createServer } from "node:http";
import { type Socket, connect } from "node:net";
import { basename, join } from "node:path";
import type { Duplex, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { type CertificateWithKey, issueCertificate } from "@tsbuilder/apimachinery/certs";
import type { EndpointSlice } from "@tsbuilder/apimachinery/k8s/discovery/v1";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Kubeconfig } from "../auth/credentials.ts";
import { publish } from "../bootstrap/publish-server.ts";
import type { ClusterObjects, ObjectEvent, ResourceName } from "../contract/cluster-objects.ts";
import {
  type PersistentVolume,
  nodes,
  persistentVolumes,
  serviceAccounts,
  services,
} from "../control-loop/api/core.ts";
import { resolveName } from "../handlers/connect/connect.ts";
import { joinStreams } from "../http/join-streams.ts";
import { hasKubelet } from "../kinds/core/node/fake-node.ts";
import { volumesFolder } from "../kinds/core/persistent-volume/persistent-volume-controller.ts";
import { clusterObjects } from "../registry/cluster-objects.ts";
import type { Core } from "../registry/core.ts";
import { serveNames } from "./dns.ts";
import { type Ground, type Machine, NodesError } from "./ground.ts";
import {
  type NodePlace,
  clusterDNS,
  clusterDomain,
  containerdSocket,
  podRange,
  writeNodeFiles,
} from "./node-files.ts";
import type { NodeNetwork } from "./node-network.ts";
import { makePauseImage } from "./pause-image.ts";

/** The parts of a cluster that nodes need. */
export interface JoinedCluster {
  readonly core: Core;
  /** Signs the serving certificates of kubelets. */
  readonly authority: CertificateWithKey;
  readonly addUser: (name: string, groups?: readonly string[]) => Kubeconfig;
  /** Serves a connection that another port has accepted. */
  readonly accept: (socket: Socket) => void;
}

/** The nodes of a cluster. */
export interface ClusterNodes {
  readonly names: readonly string[];
  /** Loads images into all nodes: an archive of `docker save` or of the OCI, as a file or its content. */
  readonly load: (archive: string | Readable) => Promise<void>;
  /** The words before a command that runs on the first node, such as those of nsenter. */
  readonly enter: readonly string[];
  /** Their configuration and logs. */
  readonly folder: string;
}

/** Starts nodes and lets them join a cluster; resolves when they are ready, and pods can be created. */
export async function joinNodes(ground: Ground, cluster: JoinedCluster): Promise<ClusterNodes> {
  const { folder, machines, network } = ground;
  const objects = clusterObjects(cluster.core);
  serveNodes(ground, cluster, objects);
  makeVolumes(objects, folder, machines[0]!);
  await publishDNS(objects, network);
  const kubeconfigOf = writeCredentials(ground, cluster);
  const pause = join(folder, "pause.tar");
  writeFileSync(pause, makePauseImage());
  const failures: Promise<never>[] = [];
  const starting = machines.flatMap((machine) => {
    const start: StartProgram = (name, words, env) => {
      const program = startProgram(folder, machine, name, words, env);
      failures.push(program.failed);
      return program.child;
    };
    // Nodes of a machine share its network.
    const { name: first } = machine.nodes[0]!;
    start(`kube-proxy-${first}`, proxyWords(first, kubeconfigOf("system:kube-proxy")));
    return machine.nodes.map(async (place) => {
      const files = writeNodeFiles(place);
      const containerd = ["containerd", "--config", files.containerd];
      const child = start(`containerd-${place.name}`, containerd, pullEnvironment(network));
      const hasEnded = (): boolean => (child.exitCode ?? child.signalCode) !== null;
      while (!hasEnded() && !(await isImported(machine, place, pause))) await delay(50);
      // The start fails with it; machines may be gone already.
      if (hasEnded()) return;
      const kubeconfig = kubeconfigOf(`system:node:${place.name}`, ["system:nodes"]);
      start(`kubelet-${place.name}`, kubeletWords(place, files.kubelet, kubeconfig));
    });
  });
  const places = machines.flatMap(({ nodes }) => nodes);
  const names = places.map(({ name }) => name);
  const ready = untilReady(objects, names, cluster.core.connectionClock);
  await Promise.race([Promise.all([...starting, ready]), ...failures]);
  return {
    names,
    folder,
    enter: machines[0]!.enter,
    load: (archive) => loadImages(ground, archive),
  };
}

/** Serves what nodes ask of this process: the API server, names, and images of registries that they don't reach. */
function serveNodes(
  { network, resolveOutside }: Ground,
  { accept }: JoinedCluster,
  objects: ClusterObjects,
): void {
  network.api.on("connection", accept);
  const find = () => ({ services: objects.list(services), slices: objects.list(endpointSlices) });
  serveNames(network, find, resolveOutside);
  const proxy = pullProxy();
  network.proxy?.on("connection", (socket) => proxy.emit("connection", socket));
}

/** Makes a proxy by which container runtimes pull images. Pods reach it, too: nothing that they send may end this process. */
export function pullProxy(): Server {
  return createServer().on("connect", ({ url = "" }, client) => {
    client.on("error", () => client.destroy());
    openTunnel(url, client).catch(() => client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
  });
}

async function openTunnel(target: string, client: Duplex): Promise<void> {
  const { hostname, port } = new URL(`http://${target}`);
  const server = connect({ host: await resolveName(hostname), port: Number(port) || 443 });
  await once(server, "connect");
  client.write("HTTP/1.1 200 Connection established\r\n\r\n");
  joinStreams(client, server);
}

const endpointSlices: ResourceName<EndpointSlice & KubernetesObject> = "endpointslices.discovery.k8s.io";

/**
 * Makes folders of volumes, in which every user may write, as a host path has no fsGroup; and deletes them with the volumes: on a
 * node, because there is root, to whom what pods write may belong.
 */
export function makeVolumes(
  objects: ClusterObjects,
  folder: string,
  { enter }: Pick<Machine, "enter">,
): void {
  const volumes = join(folder, "volumes");
  for (const volume of objects.list(persistentVolumes)) settle("ADDED", volume);
  objects.watch(({ type, resource, object }) => {
    if (resource === persistentVolumes) settle(type, object as PersistentVolume);
  });

  function settle(type: ObjectEvent["type"], { spec }: PersistentVolume): void {
    const path = spec.hostPath?.path ?? "";
    const name = basename(path);
    if (path !== `${volumesFolder}/${name}` || !/^[\w-]+$/u.test(name)) return;
    const own = join(volumes, name);
    if (type === "DELETED") {
      const [program, ...words] = [...enter, "rm", "-rf", own];
      // Files that can't be deleted now go with the nodes.
      execFile(program, words, () => undefined);
    } else if (!existsSync(own)) {
      mkdirSync(own);
      chmodSync(own, 0o777);
    }
  }
}

const dnsPorts = [
  { name: "dns", protocol: "UDP" },
  { name: "dns-tcp", protocol: "TCP" },
];

/** Stores the Service by which pods ask for names. */
async function publishDNS(objects: ClusterObjects, { address, ports }: NodeNetwork): Promise<void> {
  const metadata = { namespace: "kube-system", name: "kube-dns" };
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { ...metadata, labels: { "k8s-app": "kube-dns" } },
    spec: {
      clusterIP: clusterDNS,
      ports: dnsPorts.map((each) => ({ ...each, port: 53, targetPort: ports.dns })),
    },
  };
  const slice = {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { ...metadata, labels: { "kubernetes.io/service-name": "kube-dns" } },
    addressType: "IPv4",
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: dnsPorts.map((each) => ({ ...each, port: ports.dns })),
  };
  await publish(objects, { resource: "services", object: service, placeFields: [] });
  await publish(objects, { resource: endpointSlices, object: slice, placeFields: ["endpoints", "ports"] });
}

/** Writes the certificates of kubelets; returns a function that writes the kubeconfig of a user and returns its path. */
function writeCredentials(
  { folder, machines, network }: Ground,
  { authority, addUser }: JoinedCluster,
): (user: string, groups?: readonly string[]) => string {
  const certs = join(folder, "certs");
  mkdirSync(certs);
  const places = machines.flatMap(({ nodes }) => nodes);
  const serving = issueCertificate(authority, {
    commonName: "kubelet",
    dnsNames: places.map(({ name }) => name),
    ipAddresses: [...new Set(places.map(({ address }) => address))],
    usages: ["server"],
  });
  writeFileSync(join(certs, "ca.crt"), authority.cert);
  writeFileSync(join(certs, "kubelet.crt"), serving.cert);
  writeFileSync(join(certs, "kubelet.key"), serving.key, { mode: 0o600 });
  return (user, groups) => {
    const kubeconfig = addUser(user, groups);
    kubeconfig.clusters[0].cluster.server = `https://${network.address}:${network.ports.api}`;
    const path = join(folder, `${user.replaceAll(":", "-")}.kubeconfig`);
    writeFileSync(path, JSON.stringify(kubeconfig), { mode: 0o600 });
    return path;
  };
}

/** The command that makes Services reachable on a machine, named by its first node. */
export function proxyWords(node: string, kubeconfig: string): string[] {
  return [
    "kube-proxy",
    `--kubeconfig=${kubeconfig}`,
    `--hostname-override=${node}`,
    `--cluster-cidr=${podRange}`,
    "--proxy-mode=iptables",
    "--conntrack-max-per-core=0",
    "--oom-score-adj=0",
  ];
}

export function kubeletWords({ name, address, data }: NodePlace, file: string, kubeconfig: string): string[] {
  return [
    "kubelet",
    `--kubeconfig=${kubeconfig}`,
    `--config=${file}`,
    `--root-dir=${join(data, "kubelet")}`,
    `--hostname-override=${name}`,
    `--node-ip=${address}`,
  ];
}

/** Lets a container runtime without a way out pull images through this process, but those of the cluster's own registries. */
function pullEnvironment({ address, ports }: NodeNetwork): Record<string, string> {
  if (ports.proxy === undefined) return {};
  const inside = `localhost,127.0.0.1,${address},10.0.0.0/8,.svc,.${clusterDomain}`;
  const direct = [inside, process.env["NO_PROXY"] ?? []].flat().join(",");
  return { HTTPS_PROXY: `http://${address}:${ports.proxy}`, NO_PROXY: direct };
}

type StartProgram = (
  name: string,
  words: readonly string[],
  env?: Readonly<Record<string, string>>,
) => ChildProcess;

/** Starts a program of a node, with its output in `logs/NAME.log`. `failed` rejects when it ends. */
function startProgram(
  folder: string,
  { enter }: Machine,
  ...[name, words, env = {}]: Parameters<StartProgram>
) {
  const log = join(folder, "logs", `${name}.log`);
  const output = openSync(log, "a");
  const variables = Object.entries(env).map(([variable, value]) => `${variable}=${value}`);
  const [program = "", ...rest] = [...enter, "env", ...variables, ...words];
  const child = spawn(program, rest, { cwd: "/", stdio: ["ignore", output, output] });
  closeSync(output);
  const failed = new Promise<never>((_, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      // The log is deleted with the machine.
      const text = existsSync(log) ? readFileSync(log, "utf8") : "";
      const tail = text.trim().split("\n").slice(-5).join("\n");
      const hint = "give the machine what it asks for, or use other programs or another image";
      reject(new NodesError(`${name} ended with ${code ?? signal}:\n${tail}`, hint));
    });
  });
  // It is awaited until nodes are ready; later, the node's conditions tell.
  failed.catch(() => undefined);
  return { child, failed };
}

/** Loads an archive into all nodes. */
export async function loadImages({ folder, machines }: Ground, archive: string | Readable): Promise<void> {
  const file = join(folder, `images-${randomUUID()}.tar`);
  try {
    await pipeline(
      typeof archive === "string" ? createReadStream(archive) : archive,
      createWriteStream(file),
    );
    await Promise.all(
      machines.flatMap((machine) => machine.nodes.map((place) => importImages(machine, place, file))),
    );
  } finally {
    rmSync(file, { force: true });
  }
}

/** Loads the images of an archive into a node. */
export async function importImages(
  { enter }: Pick<Machine, "enter">,
  { data }: Pick<NodePlace, "data">,
  file: string,
): Promise<void> {
  const ctr = ["ctr", "--address", containerdSocket(data), "--namespace", "k8s.io"];
  const [program, ...words] = [...enter, ...ctr, "images", "import", "--all-platforms", file];
  await promisify(execFile)(program, words);
}

/** False as long as the container runtime doesn't listen yet. */
function isImported(machine: Machine, place: NodePlace, file: string): Promise<boolean> {
  return importImages(machine, place, file).then(
    () => true,
    () => false,
  );
}

/** How long nodes may take to be ready, once their programs are there. */
export const readyMilliseconds = 180_000;

/** A pod needs a node, and a ServiceAccount for its token. Rejects with what nodes say of themselves if that takes too long. */
function untilReady(objects: ClusterObjects, names: readonly string[], clock: Clock): Promise<void> {
  const readiness = (name: string) => {
    const node = objects.get(nodes, undefined, name);
    return hasKubelet(node) ? node?.status?.conditions?.find(({ type }) => type === "Ready") : undefined;
  };
  const isReady = (): boolean =>
    objects.get(serviceAccounts, "default", "default") !== undefined &&
    names.every((name) => readiness(name)?.status === "True");
  return new Promise((resolve, reject) => {
    const stop = objects.watch(settle);
    const cancel = clock.setTimer(() => {
      stop();
      const told = names.map((name) => `${name}: ${readiness(name)?.message ?? "its kubelet was not heard"}`);
      const hint = "if a firewall runs here, let it accept connections from containers to this machine";
      reject(new NodesError(`the nodes are not ready\n${told.join("\n")}`, hint));
    }, readyMilliseconds);
    settle();
    function settle(): void {
      if (!isReady()) return;
      stop();
      cancel();
      resolve();
    }
  });
}

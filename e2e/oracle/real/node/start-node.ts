import type { AddressInfo, Server } from "node:net";
import { basename, join } from "node:path";
import { startCluster } from "@tsbuilder/cluster";
import { type Client, createClient, loadConfig } from "@tsbuilder/runtime";
import { Node, ServiceAccount } from "@tsbuilder/runtime/k8s/core/v1";
import { StorageClass } from "@tsbuilder/runtime/k8s/storage/v1";
import { eventually } from "../../../support/eventually.ts";
import { importImages } from "../../../../src/cluster/nodes/nodes.ts";
import { repository } from "../../../support/source-imports.ts";
import { type NodeName, nodeAddress, nodeNames, registryName } from "./addresses.ts";
import { writeBoxImage } from "./box-image.ts";
import { authorityOf, writeCredentials } from "./credentials.ts";
import { storageClass } from "./inside/provisioner.ts";
import type { NodePrograms } from "./node-programs.ts";
import { packageRegistry, packageRegistrySocket } from "./package-registry.ts";
import { startRelay } from "./relay.ts";
import { insideShell } from "./inside-shell.ts";
import { type Sandbox, startSandbox, withPrograms } from "./sandbox.ts";
import { startKubelet } from "./start-kubelet.ts";
import { startApi, startControllers } from "./start-parts.ts";
import { whicheverEnds } from "./watch-all.ts";

/** A whole Kubernetes, of one node unless more are asked for. */
export interface RealNode extends Sandbox {
  /** The administrator's kubeconfig, for programs outside of the sandbox. */
  readonly kubeconfig: string;
  /** The same for programs inside of it. */
  readonly insideKubeconfig: string;
  readonly names: readonly NodeName[];
  /** Loads the images of an archive into all nodes, as `kind load image-archive` does. */
  load(archive: string): Promise<void>;
}

/** The limit of a start in milliseconds: it is also awaited outside of tests, where no runner's limit applies. */
const startLimit = 300_000;

/** Starts it; resolves when its nodes are ready and pods can be created. */
export async function startNode(programs: NodePrograms, { nodes = 1 } = {}): Promise<RealNode> {
  const names = nodeNames.slice(0, nodes);
  const node = await (programs.controlPlane === "embedded"
    ? startEmbedded(programs, names)
    : startReal(programs, names));
  try {
    const box = join(node.folder, "box.tar");
    writeBoxImage(box);
    await node.load(box);
    return node;
  } catch (error) {
    await node.stop();
    throw error;
  }
}

/** Starts nodes of the embedded cluster, as its users do, in this process. */
async function startEmbedded({ node }: NodePrograms, names: readonly NodeName[]): Promise<RealNode> {
  const ca = authorityOf("kubernetes");
  process.env["NO_PROXY"] = registryName;
  const nodes = { count: names.length, programs: node };
  const cluster = await startCluster({ nodes, certificates: { ca } });
  const { enter: words, folder, load } = cluster.nodes!;
  // The caller's PATH has programs of the tests.
  const enter = words.slice(0, words.indexOf("env"));
  const sandbox = withPrograms({ enter, folder, group: basename(folder), stop: () => cluster.stop() });
  const doors: Server[] = [];
  try {
    doors.push(await startPackageDoor(folder));
    const writeKubeconfig = writeCredentials(folder, ca);
    const insideKubeconfig = writeKubeconfig("admin");
    const kubeconfig = writeKubeconfig("admin", { file: "outside", server: cluster.url });
    const loader = join(repository, "node_modules/tsx/dist/loader.mjs");
    const packages = [
      "--conditions=@tsbuilder/source",
      "--import",
      loader,
      join(import.meta.dirname, "inside/packages.ts"),
      folder,
    ];
    sandbox.start("packages", [process.execPath, ...packages]);
    const hosts = `echo ${nodeAddress} ${registryName} ${packageRegistry.host} >> /etc/hosts`;
    await insideShell(sandbox, { folder, env: {} }).run("sh", "-c", hosts);
    return { ...sandbox, kubeconfig, insideKubeconfig, names, load, stop: () => stopAll(sandbox, doors) };
  } catch (error) {
    await stopAll(sandbox, doors);
    throw error;
  }
}

/** Starts a control plane in the sandbox of its nodes. */
async function startReal(programs: NodePrograms, names: readonly NodeName[]): Promise<RealNode> {
  const sandbox = await startSandbox(nodeNames);
  const doors: Server[] = [];
  let client: ReturnType<typeof createClient> | undefined;
  try {
    const { folder } = sandbox;
    await insideShell(sandbox, { folder, env: {} }).run(
      "sh",
      "-c",
      `echo ${nodeAddress} ${registryName} >> /etc/hosts`,
    );
    doors.push(await startPackageDoor(folder));
    const door = await startRelay({ host: "127.0.0.1", port: 0 }, { path: join(folder, "api.sock") });
    doors.push(door);
    const { port } = door.address() as AddressInfo;
    const writeKubeconfig = writeCredentials(folder);
    const insideKubeconfig = writeKubeconfig("admin");
    const kubeconfig = writeKubeconfig("admin", { file: "outside", server: `https://127.0.0.1:${port}` });
    const api = startApi(sandbox, programs);
    client = createClient(await loadConfig({ kubeconfig, env: {} }));
    const served = client;
    await eventually(() => isServing(served), whicheverEnds(api), startLimit);
    const controllers = startControllers(sandbox, programs, writeKubeconfig);
    const starting = names.map((name) => startKubelet(sandbox, programs, writeKubeconfig, name));
    const parts = [...api, ...controllers, ...(await Promise.all(starting)).flat()];
    await eventually(() => canRunPods(served, names), whicheverEnds(parts), startLimit);
    const load = async (archive: string): Promise<void> => {
      await Promise.all(names.map((name) => importImages(sandbox, { data: join(folder, name) }, archive)));
    };
    const stop = (): Promise<void> => stopAll(sandbox, doors);
    return { ...sandbox, kubeconfig, insideKubeconfig, names, load, stop };
  } catch (error) {
    await stopAll(sandbox, doors);
    throw error;
  } finally {
    await client?.close();
  }
}

/** Passes connections of builds inside on to the npm registry. */
function startPackageDoor(folder: string): Promise<Server> {
  const { host, port } = packageRegistry;
  return startRelay({ path: packageRegistrySocket(folder) }, { host, port });
}

async function stopAll(sandbox: Sandbox, doors: readonly Server[]): Promise<void> {
  for (const door of doors) door.close();
  await sandbox.stop();
}

async function isServing(client: Client): Promise<boolean> {
  return (await client.request({ path: "/readyz" })) !== undefined;
}

/** A pod needs a node, and a ServiceAccount for its token; a claim its StorageClass. */
async function canRunPods(client: Client, names: readonly NodeName[]): Promise<boolean> {
  const nodes = await Promise.all(names.map((name) => client.get(Node, { name })));
  await client.get(ServiceAccount, { namespace: "default", name: "default" });
  await client.get(StorageClass, { name: storageClass.metadata.name });
  return nodes.every((node) =>
    node.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True"),
  );
}

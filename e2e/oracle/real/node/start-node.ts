import type { AddressInfo, Server } from "node:net";
import { join } from "node:path";
import { type Client, createClient, loadConfig } from "@tsbuilder/runtime";
import { Node, ServiceAccount } from "@tsbuilder/runtime/k8s/core/v1";
import { StorageClass } from "@tsbuilder/runtime/k8s/storage/v1";
import { eventually } from "../../../support/eventually.ts";
import { type NodeName, nodeNames } from "./addresses.ts";
import { writeCredentials } from "./credentials.ts";
import { storageClass } from "./inside/provisioner.ts";
import type { NodePrograms } from "./node-programs.ts";
import { writeNetworkFiles } from "./node-files.ts";
import { packageRegistry, packageRegistrySocket } from "./package-registry.ts";
import { startRelay } from "./relay.ts";
import { type Sandbox, startSandbox } from "./sandbox.ts";
import { importImages, startKubelet } from "./start-kubelet.ts";
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
  const sandbox = await startSandbox();
  const doors: Server[] = [];
  let client: ReturnType<typeof createClient> | undefined;
  try {
    const { folder } = sandbox;
    const { host, port: packagePort } = packageRegistry;
    doors.push(await startRelay({ path: packageRegistrySocket(folder) }, { host, port: packagePort }));
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
    writeNetworkFiles(folder);
    const starting = names.map((name) => startKubelet(sandbox, programs, writeKubeconfig, name));
    const parts = [...api, ...controllers, ...(await Promise.all(starting)).flat()];
    await eventually(() => canRunPods(served, names), whicheverEnds(parts), startLimit);
    const load = async (archive: string): Promise<void> => {
      await Promise.all(names.map((name) => importImages(sandbox, name, archive)));
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

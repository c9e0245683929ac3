import { resolve } from "node:path";
import { readFileSync } from "node:fs";
import { visibleText } from "@tsbuilder/apimachinery/text";
import type { Cluster, ClusterOptions, ControllerName, NodesOptions, Stage } from "@tsbuilder/cluster";
import { refuseLinkedFile } from "../../scaffold/apply.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { didYouMean } from "../../shared/text.ts";
import { makeFolder, writeOutput } from "../../shared/files.ts";
import { explainStart, failureReporter, formatFailure } from "./cluster-failures.ts";

/** The options of a cluster without a project. */
export interface ForegroundOptions {
  readonly folder: string;
  readonly kubeconfig: string;
  readonly port?: number | undefined;
  /** The folder to persist objects in. Default: memory only. */
  readonly data?: string | undefined;
  /** `all`, `none`, or a comma-separated list of names. */
  readonly controllers: string;
  /** A file of Stages that simulate the lifecycle of objects. */
  readonly stages?: string | undefined;
  /** The local ports behind Services, as `NAMESPACE/NAME[:PORT]=LOCAL-PORT`. */
  readonly servicePorts?: readonly string[] | undefined;
  readonly nodes?: NodesOptions | undefined;
  /** The release of Kubernetes. Default: that of the environment variable, or 1.36. */
  readonly kubernetesVersion?: string | undefined;
}

/** Starts the embedded cluster and writes its kubeconfig, readable only by its owner. Throws explained errors. */
export async function startForeground(
  options: ForegroundOptions,
): Promise<Pick<Cluster, "url" | "kubeconfig" | "stop">> {
  const { startCluster } = await import("@tsbuilder/cluster");
  const names = await readControllers(options.controllers);
  refuseLinkedFile(resolve(options.folder), resolve(options.folder, options.kubeconfig));
  const resolveService = parseServicePorts(options.servicePorts ?? []);
  const stages = options.stages === undefined ? undefined : await readStages(options.folder, options.stages);
  const dataDir = makeDataFolder(options);
  const cluster = await startCluster({
    onError: failureReporter((error) => void process.stderr.write(visibleText(formatFailure(error)))),
    resolveService,
    nodes: options.nodes,
    kubernetesVersion: options.kubernetesVersion,
    controllers: stages ? [...new Set([...names, "stage" as const])] : names,
    ...(stages && { stages }),
    ...(options.port === undefined ? {} : { port: options.port }),
    ...(dataDir === undefined ? {} : { dataDir }),
  }).catch(explainStart);
  try {
    writeOutput(
      resolve(options.folder, options.kubeconfig),
      JSON.stringify(cluster.kubeconfig, undefined, 2),
      { what: "the kubeconfig", flag: "--kubeconfig", isPrivate: true },
    );
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}

/** Reads the names of controllers: `all`, `none`, or names separated by commas. Throws if one is unknown. */
export async function readControllers(text: string): Promise<readonly ControllerName[]> {
  const { controllerNames, parseControllerNames } = await import("@tsbuilder/cluster");
  const {
    names,
    unknown: [unknown],
  } = parseControllerNames(text);
  if (unknown === undefined) return names;
  const near = didYouMean(unknown, controllerNames);
  throw new TsbuilderError(`unknown controller "${unknown}"`, {
    code: "INVALID_ARGUMENT",
    hint: near ? `did you mean "${near}"?` : `use some of ${controllerNames.join(", ")}`,
  });
}

/** Reads a file of Stages; errors in it are reported before anything starts. */
async function readStages(folder: string, file: string): Promise<readonly Stage[]> {
  const { parseStages } = await import("@tsbuilder/cluster");
  const path = resolve(folder, file);
  const text = readText(path);
  try {
    const stages = parseStages(text);
    if (stages.length > 0) return stages;
  } catch (error) {
    throw new TsbuilderError(`"${path}" contains an invalid Stage: ${(error as Error).message}`, {
      code: "INVALID_ARGUMENT",
      hint: "a Stage selects objects (spec.resourceRef, spec.selector) and sets what happens to them (spec.next), as in KWOK",
      cause: error,
    });
  }
  throw new TsbuilderError(`"${path}" contains no Stage`, {
    code: "INVALID_ARGUMENT",
    hint: "add manifests of kwok.x-k8s.io/v1alpha1, Kind Stage, or omit --stages",
  });
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new TsbuilderError(`cannot read the Stages in "${path}": ${(error as Error).message}`, {
      code: "NOT_FOUND",
      hint: "set a file with --stages",
      cause: error,
    });
  }
}

type ServiceResolver = NonNullable<ClusterOptions["resolveService"]>;

/** `NAMESPACE/NAME[:PORT]=LOCAL-PORT` */
const servicePort = /^([a-z0-9-]+)\/([a-z0-9-]+)(?::(\d{1,5}))?=(\d{1,5})$/;

/** Parses the local ports behind Services, at which webhooks with a Service reference are called. */
export function parseServicePorts(values: readonly string[]): ServiceResolver {
  const ports = values.map((text) => {
    const [, namespace, name, port, local] = servicePort.exec(text) ?? [];
    if (Number(local) >= 1 && Number(local) <= 65_535)
      return { namespace, name, port: port && Number(port), local: Number(local) };
    throw new TsbuilderError(`${JSON.stringify(text)} does not say which port is behind a Service`, {
      code: "INVALID_ARGUMENT",
      hint: "write NAMESPACE/NAME[:PORT]=LOCAL-PORT, such as --service-ports shop-system/shop-webhook-service=9443",
    });
  });
  return (namespace, name, port) => {
    const match = ports
      .filter((service) => service.namespace === namespace && service.name === name)
      .find((service) => service.port === undefined || service.port === port);
    return match && { host: "127.0.0.1", port: match.local };
  };
}

function makeDataFolder({ folder, data }: ForegroundOptions): string | undefined {
  if (data === undefined) return undefined;
  const path = resolve(folder, data);
  try {
    makeFolder(path, 0o700);
  } catch (error) {
    explainStart(error);
  }
  return path;
}

import { resolve } from "node:path";
import { visibleText } from "@tsbuilder/apimachinery/text";
import { refuseLinkedFile } from "../scaffold/refuse-outside.ts";
import { TsbuilderError } from "../shared/errors.ts";
import { didYouMean } from "../shared/text.ts";
import { makeFolder, writeOutput } from "../shared/write-output.ts";
import type { Cluster } from "@tsbuilder/cluster";
import { explainStart } from "./explain-start.ts";
import { readStages } from "./read-stages.ts";
import { failureReporter, formatFailure } from "./report-failure.ts";
import { parseServicePorts } from "./service-ports.ts";

/** The options of a cluster without a project. */
export interface ForegroundOptions {
  readonly folder: string;
  readonly kubeconfig: string;
  readonly port: number | undefined;
  /** The folder to persist objects in. Default: memory only. */
  readonly data: string | undefined;
  /** `all`, `none`, or a comma-separated list of names. */
  readonly controllers: string;
  /** A file of Stages that simulate the lifecycle of objects. */
  readonly stages: string | undefined;
  /** The local ports behind Services, as `NAMESPACE/NAME[:PORT]=LOCAL-PORT`. */
  readonly servicePorts?: readonly string[] | undefined;
}

/** Starts the embedded cluster and writes its kubeconfig, readable only by its owner. */
export async function startForeground(
  options: ForegroundOptions,
): Promise<Pick<Cluster, "url" | "kubeconfig" | "stop">> {
  const { controllerNames, parseControllerNames, startCluster } = await import("@tsbuilder/cluster");
  const { names, unknown } = parseControllerNames(options.controllers);
  const [first] = unknown;
  if (first !== undefined) {
    const near = didYouMean(first, controllerNames);
    throw new TsbuilderError(`unknown controller "${first}"`, {
      code: "INVALID_ARGUMENT",
      hint: near ? `did you mean "${near}"?` : `use some of ${controllerNames.join(", ")}`,
    });
  }
  refuseLinkedFile(resolve(options.folder), resolve(options.folder, options.kubeconfig));
  const resolveService = parseServicePorts(options.servicePorts ?? []);
  const stages = options.stages === undefined ? undefined : await readStages(options.folder, options.stages);
  const dataDir = dataFolder(options);
  const cluster = await startCluster({
    onError: failureReporter((error) => void process.stderr.write(visibleText(formatFailure(error)))),
    resolveService,
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

function dataFolder({ folder, data }: ForegroundOptions): string | undefined {
  if (data === undefined) return undefined;
  const path = resolve(folder, data);
  try {
    makeFolder(path, 0o700);
  } catch (error) {
    explainStart(error);
  }
  return path;
}

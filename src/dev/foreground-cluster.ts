import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { TsbuilderError } from "../shared/errors.ts";
import { didYouMean } from "../shared/text.ts";
import { explainStart } from "./explain-start.ts";

/** How a cluster without a project is started. */
export interface ForegroundOptions {
  readonly folder: string;
  readonly kubeconfig: string;
  readonly port: number | undefined;
  /** Where the objects are kept; in memory unless given. */
  readonly data: string | undefined;
  /** `all`, `none`, or names with commas. */
  readonly controllers: string;
}

/** Starts the embedded cluster and writes its kubeconfig, readable by its owner only. */
export async function startForeground(
  options: ForegroundOptions,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const { controllerNames, parseControllerNames, startCluster } = await import("@tsbuilder/cluster");
  const { names, unknown } = parseControllerNames(options.controllers);
  const [first] = unknown;
  if (first !== undefined) {
    const near = didYouMean(first, controllerNames);
    throw new TsbuilderError(`there is no controller "${first}"`, {
      code: "INVALID_ARGUMENT",
      hint: near ? `did you mean "${near}"?` : `choose of ${controllerNames.join(", ")}`,
    });
  }
  const cluster = await startCluster({
    controllers: names,
    ...(options.port === undefined ? {} : { port: options.port }),
    ...(options.data === undefined ? {} : { dataDir: resolve(options.folder, options.data) }),
  }).catch(explainStart);
  const file = resolve(options.folder, options.kubeconfig);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(cluster.kubeconfig, undefined, 2), { mode: 0o600 });
  return cluster;
}

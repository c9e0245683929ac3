import type { KubeconfigFile } from "@tsbuilder/runtime/advanced";
import { type ClusterChoice, readContext } from "../../ship/cluster/kubectl.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { writePrivate } from "../../shared/files.ts";
import { findDeployment, type OperatorChoice, podsOf } from "../operator/find-deployment.ts";
import { readFlights, recorderPort } from "./read-flight.ts";
import { format, type RecordedSession } from "./recorded.ts";

export interface FetchOptions {
  readonly file: string;
  readonly cluster: ClusterChoice;
  readonly operator: OperatorChoice;
  /** The version of tsbuilder, which the record names. */
  readonly tsbuilder: string;
}

/** Writes the record of a deployed operator to a file that only its owner may read. Returns the numbers of lines and pods. */
export async function fetchRecord({
  file,
  cluster,
  operator,
  tsbuilder,
}: FetchOptions): Promise<{ readonly recorded: number; readonly pods: number }> {
  const { createClient, loadConfig } = await import("@tsbuilder/runtime");
  const kubeconfig = await readContext<KubeconfigFile>(cluster, "--raw", "--flatten");
  const client = createClient(await loadConfig({ kubeconfig }));
  try {
    const deployment = await findDeployment(client, operator);
    if (!deployment)
      throw new TsbuilderError("the cluster has no Deployment with the labels of this project's operator", {
        code: "NOT_FOUND",
        hint: "name it: --operator NAMESPACE/DEPLOYMENT",
      });
    const port = recorderPort(deployment);
    if (port === undefined)
      throw new TsbuilderError("the operator runs without a recorder", {
        code: "REFUSED",
        hint: "add it, and deploy: tsbuilder edit --enable recorder",
      });
    const pods = await podsOf(client, deployment);
    const { operator: project, recorded } = await readFlights(client, pods, port);
    const session: RecordedSession = {
      type: "session",
      format,
      at: new Date().toISOString(),
      project,
      tsbuilder,
    };
    writePrivate(file, [session, ...recorded].map((line) => `${JSON.stringify(line)}\n`).join(""));
    return { recorded: recorded.length, pods: pods.length };
  } finally {
    await client.close();
  }
}

import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client, Stored } from "@tsbuilder/runtime";
import type { KubeconfigFile } from "@tsbuilder/runtime/advanced";
import type { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { type ClusterChoice, readContext } from "../../ship/cluster/kubectl.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { writePrivate } from "../../shared/files.ts";
import { findDeployment, type OperatorChoice, podsOf } from "../operator/find-deployment.ts";
import { FlightLines } from "./flight-lines.ts";
import { mergeRecords, readFlight, readFlights, recorderPort } from "./read-flight.ts";
import { format, type Recorded, type RecordedSession } from "./recorded.ts";

export interface FetchOptions {
  readonly file: string;
  readonly cluster: ClusterChoice;
  readonly operator: OperatorChoice;
  /** The version of tsbuilder, which the record names. */
  readonly tsbuilder: string;
}

/** Writes the record of a deployed operator to a file that only its owner may read. Returns the numbers of lines and pods. */
export function fetchRecord({
  file,
  tsbuilder,
  ...choice
}: FetchOptions): Promise<{ readonly recorded: number; readonly pods: number }> {
  return withOperator(choice, async ({ client, deployment, port }) => {
    const pods = await podsOf(client, deployment);
    const { operator, recorded } = await readFlights(client, pods, port);
    writePrivate(file, textOf([sessionOf(operator, tsbuilder), ...recorded]));
    return { recorded: recorded.length, pods: pods.length };
  });
}

/** The milliseconds after which pods that are new are looked for. */
const podPeriod = 2000;

/**
 * Writes the records of all pods to a file, and goes on with what happens, until the signal is aborted. Pods that come later, and
 * containers that are restarted, are followed, too. `onPods` gets their number whenever it changes.
 */
export function followRecord(
  { file, tsbuilder, ...choice }: FetchOptions,
  signal: AbortSignal,
  onPods: (count: number) => void,
): Promise<void> {
  return withOperator(choice, async ({ client, deployment, port }) => {
    const followed = new Map<string, Promise<void>>();
    /** The last time in the file of what each pod recorded: a restarted container serves what came before, too. */
    const seenUntil = new Map<string, number>();
    /** The states of objects in the file. */
    const told = new Set<string>();
    let isBegun = false;
    const write = (operator: string, recorded: readonly Recorded[]): void => {
      if (!isBegun) writePrivate(file, textOf([sessionOf(operator, tsbuilder)]));
      isBegun = true;
      appendFileSync(file, textOf(mergeRecords([recorded], told)));
    };
    while (!signal.aborted) {
      const pods = await podsOf(client, deployment);
      const before = followed.size;
      for (const { metadata } of pods.filter(({ metadata: { name } }) => !followed.has(name))) {
        const lines = new FlightLines(metadata.name);
        const following = readFlight(client, metadata, { port, follow: true, signal }, (batch) => {
          const since = seenUntil.get(metadata.name) ?? -Infinity;
          const news = batch.filter(({ at, channel }) => at > since || channel === "tsbuilder:flight");
          seenUntil.set(metadata.name, Math.max(since, ...news.map(({ at }) => at)));
          const recorded = news.flatMap((line) => lines.add(line));
          write(lines.operator, recorded);
        });
        // A pod that can't be reached, or not any more, is tried again.
        const forget = (): void => void followed.delete(metadata.name);
        followed.set(metadata.name, following.then(forget, forget));
      }
      if (followed.size !== before) onPods(followed.size);
      await sleep(podPeriod, undefined, { signal }).catch(() => undefined);
    }
    await Promise.all(followed.values());
  });
}

interface Operator {
  readonly client: Client;
  readonly deployment: Stored<Deployment>;
  readonly port: number;
}

async function withOperator<Result>(
  { cluster, operator }: Pick<FetchOptions, "cluster" | "operator">,
  run: (operator: Operator) => Promise<Result>,
): Promise<Result> {
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
    return await run({ client, deployment, port });
  } finally {
    await client.close();
  }
}

function sessionOf(project: string, tsbuilder: string): RecordedSession {
  return { type: "session", format, at: new Date().toISOString(), project, tsbuilder };
}

function textOf(lines: readonly (RecordedSession | Recorded)[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

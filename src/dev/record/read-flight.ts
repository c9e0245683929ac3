// The flight recorders of a deployed operator: reads what each pod serves on its loopback interface through a forwarded port, and
// merges the pods into one time line.

import { type IncomingMessage, request } from "node:http";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import type { Client, Stored } from "@tsbuilder/runtime";
import type { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import type { Pod } from "@tsbuilder/runtime/k8s/core/v1";
import type { FlightLine } from "@tsbuilder/runtime/advanced";
import { TsbuilderError } from "../../shared/errors.ts";
import { FlightLines } from "./flight-lines.ts";
import { endedAt, type Recorded, type RecordedWrite } from "./recorded.ts";

/** The records of an operator's pods. */
interface Flight {
  readonly operator: string;
  readonly recorded: readonly Recorded[];
}

/** Returns the port of the recorder of a Deployment's pods; undefined if none is enabled. */
export function recorderPort({ spec }: Pick<Deployment, "spec">): number | undefined {
  const args = spec?.template.spec?.containers.flatMap(({ args: words = [] }) => words) ?? [];
  const port = args.map((word) => /^--recorder-bind-address=.*:(\d+)$/u.exec(word)?.[1]).find(Boolean);
  return port === undefined ? undefined : Number(port);
}

/** Reads the records of pods, one after the other, and merges them. Throws if a pod can't be reached. */
export async function readFlights(
  client: Client,
  pods: readonly Stored<Pod>[],
  port: number,
): Promise<Flight> {
  const records: Recorded[][] = [];
  let operator = "";
  for (const { metadata } of pods) {
    const lines = new FlightLines(metadata.name);
    const recorded: Recorded[] = [];
    await readFlight(client, metadata, { port, follow: false }, (batch) => {
      for (const line of batch) for (const one of lines.add(line)) recorded.push(one);
    });
    records.push([...recorded, ...lines.unfinished()]);
    operator ||= lines.operator;
  }
  return { operator, recorded: mergeRecords(records) };
}

/** How a record is read: as it is, or as it grows, too. */
interface Reading {
  readonly port: number;
  readonly follow: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** The milliseconds within which a pod begins to answer. */
const fetchTimeout = 30_000;

/** The least milliseconds by which a pod's clock is taken for wrong. */
const leastSkew = 1000;

/**
 * Reads the record of a pod. `take` gets what happened until a moment, in one batch, by this machine's clock; then each time what
 * happened since. Resolves at the end of the record; that of a pod that is followed ends with its process.
 */
export async function readFlight(
  client: Client,
  pod: Stored<Pod>["metadata"],
  { port, follow, signal }: Reading,
  take: (lines: readonly FlightLine[]) => void,
): Promise<void> {
  const { FlightReader } = await import("@tsbuilder/runtime/advanced");
  let socket: Duplex | undefined;
  try {
    socket = await client.openPort({ namespace: pod.namespace, name: pod.name }, port);
    const asked = Date.now();
    const response = await ask(socket, follow ? "/record?follow" : "/record", pod.name, signal);
    const ahead = clockSkew(asked, Date.now(), Number(response.headers["x-time"]));
    const reader = new FlightReader();
    let batch: FlightLine[] = [];
    for await (const piece of response) {
      const { caughtUp } = reader;
      for (const line of reader.push(piece as Buffer))
        batch.push(ahead === 0 ? line : { ...line, at: line.at - ahead });
      if (reader.caughtUp === caughtUp) continue;
      take(batch);
      batch = [];
    }
    take(batch);
  } catch (error) {
    if (signal?.aborted) return;
    throw new TsbuilderError(`the record of pod "${pod.name}" can't be read: ${(error as Error).message}`, {
      code: "CLUSTER_UNREACHABLE",
      hint: "does the operator run with --recorder-bind-address (tsbuilder edit --enable recorder adds it), and is it built with this version of tsbuilder?",
      cause: error,
    });
  } finally {
    socket?.destroy();
  }
}

function ask(
  socket: Duplex,
  path: string,
  pod: string,
  signal: AbortSignal | undefined,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asked = request({ path, signal, createConnection: () => socket });
    const late = (): void => void asked.destroy(new Error(`pod ${pod} did not answer in time`));
    const timer = setTimeout(late, fetchTimeout);
    asked.on("close", () => clearTimeout(timer));
    asked.on("error", reject);
    asked.on("response", (response) => {
      clearTimeout(timer);
      if (response.statusCode === 200) return resolve(response);
      const refuse = (body: string): void =>
        reject(new Error(`it answered with ${response.statusCode}: ${body.trim()}`));
      text(response).then(refuse, reject);
    });
    asked.end();
  });
}

/** Returns the milliseconds by which the clock of a pod is ahead of this machine's; 0 if that may be the time of its answer. */
function clockSkew(asked: number, answered: number, podTime: number): number {
  const ahead = podTime - (asked + answered) / 2;
  return Math.abs(ahead) > (answered - asked) / 2 + leastSkew ? Math.round(ahead) : 0;
}

/** Merges records in the order of time, which is that of the ends. States of objects that `told` has already are left out. */
export function mergeRecords(
  records: readonly (readonly Recorded[])[],
  told = new Set<string>(),
): readonly Recorded[] {
  const timeOf = (line: Recorded): number =>
    line.type === "reconcile" ? endedAt(line) : Date.parse(line.at);
  return records
    .flat()
    .map((line) => ({ line, time: timeOf(line) }))
    .toSorted((a, b) => a.time - b.time)
    .map(({ line }) => line)
    .filter((line) => line.type !== "write" || isNewState(line, told));
}

/** Replicas see the same changes. */
function isNewState({ write, resource, object }: RecordedWrite, told: Set<string>): boolean {
  const { uid, resourceVersion } = object.metadata;
  const state = `${resource} ${uid} ${resourceVersion}${write === "DELETED" ? " deleted" : ""}`;
  const isNew = !told.has(state);
  told.add(state);
  return isNew;
}

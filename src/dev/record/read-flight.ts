// The flight recorders of a deployed operator: reads what each pod serves on its loopback interface through a forwarded port,
// turns the messages into lines of a record, and merges the pods into one time line.

import { request } from "node:http";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import type { Client, Stored } from "@tsbuilder/runtime";
import type { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import type { Pod } from "@tsbuilder/runtime/k8s/core/v1";
import { isObject } from "@tsbuilder/apimachinery/json";
import { TsbuilderError } from "../../shared/errors.ts";
import { type OperatorMessage, ReconcileHistory, recordedSample } from "./operator-messages.ts";
import { endedAt, type Recorded } from "./recorded.ts";

/** What one process recorded. */
interface Flight {
  readonly operator: string;
  readonly recorded: readonly Recorded[];
}

/** A line of a served record after the first: a message of the runtime, or a line of the log. */
type FlightLine =
  | OperatorMessage
  | { readonly channel: "tsbuilder:log"; readonly at: number; readonly text: string };

/** The version of the format in which an operator serves its record. */
const format = 1;

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
  const flights: Flight[] = [];
  for (const { metadata } of pods) flights.push(parseFlight(await fetchFlight(client, metadata, port)));
  return {
    operator: flights[0]?.operator ?? "",
    recorded: mergeRecords(flights.map(({ recorded }) => recorded)),
  };
}

/** The milliseconds within which a pod begins to answer. */
const fetchTimeout = 30_000;

async function fetchFlight(client: Client, pod: Stored<Pod>["metadata"], port: number): Promise<string> {
  let socket: Duplex | undefined;
  try {
    const opened = await client.openPort({ namespace: pod.namespace, name: pod.name }, port);
    socket = opened;
    return await new Promise((resolve, reject) => {
      const asked = request({
        path: "/record",
        timeout: fetchTimeout,
        createConnection: () => opened,
      });
      asked.on("timeout", () => asked.destroy(new Error(`pod ${pod.name} did not answer in time`)));
      asked.on("error", reject);
      asked.on("response", (response) => {
        if (response.statusCode === 200) return void text(response).then(resolve, reject);
        reject(new Error(`port ${port} of pod ${pod.name} answered with ${response.statusCode}`));
      });
      asked.end();
    });
  } catch (error) {
    throw new TsbuilderError(`the record of pod "${pod.name}" can't be read: ${(error as Error).message}`, {
      code: "CLUSTER_UNREACHABLE",
      hint: "does the operator run with --recorder-bind-address? tsbuilder edit --enable recorder adds it",
      cause: error,
    });
  } finally {
    socket?.destroy();
  }
}

/** Turns a served record into lines of a record. Reconciles whose beginning was dropped are left out. */
export function parseFlight(served: string): Flight {
  const [header, ...lines] = served
    .split("\n")
    .filter(Boolean)
    .map((line): unknown => JSON.parse(line));
  if (!isObject(header) || header["type"] !== "flight" || header["format"] !== format)
    throw new TsbuilderError("the operator serves its record in a format that this tsbuilder does not know", {
      code: "INVALID_ARGUMENT",
      hint: "use the version of tsbuilder that the operator was built with",
    });
  const history = new ReconcileHistory();
  const recorded = (lines as FlightLine[]).flatMap((line): Recorded[] => {
    if (line.channel === "tsbuilder:log")
      return [{ type: "operator", at: new Date(line.at).toISOString(), text: line.text.trimEnd() }];
    if (line.channel === "tsbuilder:sample") return [recordedSample(line)];
    const ended = history.add(line);
    return ended ? [{ type: "reconcile", ...ended }] : [];
  });
  const running = history.unfinished().map((one) => ({ type: "reconcile" as const, ...one }));
  return { operator: String(header["name"]), recorded: [...recorded, ...running] };
}

/** Merges records in the order of time, which is that of the ends. */
export function mergeRecords(records: readonly (readonly Recorded[])[]): readonly Recorded[] {
  const timeOf = (line: Recorded): number =>
    line.type === "reconcile" ? endedAt(line) : Date.parse(line.at);
  return records.length === 1 ? records[0]! : records.flat().toSorted((a, b) => timeOf(a) - timeOf(b));
}

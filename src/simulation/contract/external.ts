import type { ExecResult } from "@tsbuilder/runtime";
import { isObject } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { ContainerCommand } from "./scenario.ts";

/**
 * Stands in for a system that operators call by `fetch()` or `client.exec()`: an API, a database, a DNS server. Every run
 * begins with a new state. The faults of a run decide which calls are refused, slow, answered with an error, or lost before
 * or after they took effect, and at which calls the operator dies.
 */
export interface ExternalSystem<State = unknown> {
  /** Makes the state at the beginning of a run: plain data, a `Map` or a `Set`, or an object of these. Runs are compared by it. */
  readonly state: () => State;
  /** The beginning of the URLs that `handle` answers. Default: all URLs. */
  readonly url?: string;
  /** Answers a `fetch()`, and changes the state. */
  readonly handle?: (request: Request, state: State, pods: Pods) => Response | Promise<Response>;
  /** Answers a command in a container, and changes the state. */
  readonly exec?: (
    command: ContainerCommand,
    state: State,
    pods: Pods,
  ) => Partial<ExecResult> | Promise<Partial<ExecResult>>;
  /**
   * Returns, in words, what is left in the state although everything that the steps applied is deleted. Default: the
   * entries that were not there at the beginning, but for those that name an object that still is, and for what `mayStay`.
   */
  readonly leftover?: (state: State) => readonly string[];
}

/** Names a running pod, as a `ContainerCommand` does, and one of its containers. Default: any container with such a file; the first. */
export interface PodName {
  readonly namespace: string;
  readonly pod: string;
  readonly container?: string | undefined;
}

/** What the programs in containers see, for stand-ins that play them. */
export interface Pods {
  /**
   * Returns what a file of a mounted Secret or ConfigMap holds in a pod now. It follows a change of the object when the kubelet
   * next refreshes it, up to a minute and a half later. Undefined if the pod doesn't run, or has no such file.
   */
  readFile(name: PodName, path: string): string | undefined;
  /** Returns an environment variable of a container, which stays as it was when the container was started. */
  readEnv(name: PodName, variable: string): string | undefined;
}

/** Declares a stand-in for an external system, with the type of its state. */
export function external<State>(system: ExternalSystem<State>): ExternalSystem {
  return system as ExternalSystem;
}

/** The states of the external systems of a scenario, by name. */
export type ExternalStates = Readonly<Record<string, unknown>>;

/**
 * Describes states as objects, to be compared like the objects of the cluster. The system is their namespace. Each field
 * of a state is an object of kind `state`, and each entry of a collection in it another, whose kind is the field.
 */
export function externalObjects(states: ExternalStates): KubernetesObject[] {
  return Object.entries(states).flatMap(([system, state]) => {
    const isCollection = state instanceof Map || state instanceof Set;
    const fields = isObject(state) && !isCollection ? Object.entries(state) : [["entry", state] as const];
    return fields.flatMap(([field, value]) => {
      const entries = entriesOf(value);
      return [
        describe(system, "state", field, entries ? undefined : value),
        ...(entries ?? []).map(([name, each]) => describe(system, field, name, each)),
      ];
    });
  });
}

/** Returns the entries of a map, a set, a list or an object, by name; undefined for other values. */
function entriesOf(value: unknown): (readonly [name: string, value: unknown])[] | undefined {
  if (value instanceof Map) return [...value].map(([key, each]) => [String(key), each] as const);
  if (value instanceof Set) return namedByText([...value]);
  if (Array.isArray(value)) return namedByText(value);
  return isObject(value) && !(value instanceof Date) ? Object.entries(value) : undefined;
}

/** Names values by their text, not by their index: the order of a list depends on which call came first. */
function namedByText(values: readonly unknown[]): (readonly [name: string, value: unknown])[] {
  return values.map((value) => [typeof value === "string" ? value : "item", value] as const);
}

/** Separates the words of a text by spaces, so that it contains a name only as a whole. */
export function wordsOf(text: string): string {
  return ` ${text.replaceAll(/[^a-z0-9]+/gi, " ")} `;
}

function describe(system: string, kind: string, name: string, value: unknown): KubernetesObject {
  const metadata = { namespace: system, name: name.replaceAll("/", ":") };
  return { apiVersion: "external", kind, metadata, value: plain(value) } as KubernetesObject;
}

/** Copies a value as plain data. */
function plain(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, each]) => [key, plain(each)]));
  if (value instanceof Set) return [...value].map(plain);
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
}

import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { ControllerName } from "@tsbuilder/cluster";
import type { ExecOptions, ExecResult, Manager, ManagerOptions } from "@tsbuilder/runtime";
import type { PolicyRule } from "@tsbuilder/runtime/k8s/rbac/v1";
import type { Fault } from "./fault.ts";
import type { State } from "./state.ts";
import type { Step } from "./step.ts";

/** An operator in a simulation. */
export interface SimulatedOperator {
  /** The name of its manager and its service account. Its processes are `<name>-0` and so on. */
  readonly name: string;
  /** Adds its controllers to the manager, as the setup functions of a project do. Called whenever a process starts. */
  readonly setup: (manager: Manager) => void | Promise<void>;
  /** The `setup` of its version before: with it, some runs begin, and are upgraded in the middle. */
  readonly former?: (manager: Manager) => void | Promise<void>;
  /** Default: 1. With more than one, a lease decides which of them works, unless they share the objects. */
  readonly replicas?: number;
  /** Its processes share the objects by this, instead of electing one of them: the `by` of the manager's `sharding`. */
  readonly sharding?: "uid" | "namespace";
  /** What it may do, as in `config/rbac/role.yaml`. Default: everything. */
  readonly rules?: readonly PolicyRule[];
  readonly manager?: Partial<Omit<ManagerOptions, "name" | "config" | "clock" | "logger" | "ownsProcess">>;
}

/** Whether a lease decides which of its processes works. */
export function isElected({ replicas = 1, sharding }: SimulatedOperator): boolean {
  return replicas > 1 && sharding === undefined;
}

/** A command that an operator runs in a container. */
export interface ContainerCommand {
  readonly namespace: string;
  readonly pod: string;
  readonly command: readonly string[];
  readonly options: ExecOptions;
}

/** A check of the user's over the state. */
export type Check = (state: State) => boolean;

/** Operators that need more than this until they rest never do. */
export interface Limits {
  /** Virtual milliseconds. Default: half an hour. */
  readonly time?: number;
  /** Changes of all objects. Default: 2500. */
  readonly changes?: number;
  /** Changes of one object, or creations of objects with one `generateName`. Default: 250. */
  readonly changesOfObject?: number;
}

/** A world, what happens in it, and what must hold. */
export interface Scenario {
  readonly operators: readonly SimulatedOperator[];
  readonly crds?: readonly KubernetesObject[];
  /** Objects that exist before the operators start. */
  readonly objects?: readonly KubernetesObject[];
  readonly steps?: readonly Step[];
  readonly faults?: readonly Fault[];
  /** Decides everything that the scenario leaves open. Default: 1. */
  readonly seed?: number;
  /** The cluster's own controllers, besides the garbage collector and that of namespaces. Default: none. */
  readonly controllers?: readonly ControllerName[];
  /** Stands in for all servers but the API server: answers the operators' calls of `fetch()`. */
  readonly http?: (request: Request) => Response | Promise<Response>;
  /** Stands in for the containers: answers the operators' commands in them (`client.exec`). */
  readonly exec?: (command: ContainerCommand) => Partial<ExecResult> | Promise<Partial<ExecResult>>;
  readonly limits?: Limits;
  /** What the operators leave behind on purpose, such as data, when what it belongs to is deleted. Default: nothing. */
  readonly mayStay?: (object: KubernetesObject) => boolean;
  /**
   * What may depend on the way to the spec, and isn't compared: an object, or one of its fields, such as
   * `metadata.annotations.replaced`. Default: nothing.
   */
  readonly mayDiffer?: (object: KubernetesObject, field: string | undefined) => boolean;
  /** Must hold after each change. */
  readonly always?: { readonly [name: string]: Check };
  /** Must not hold after any change. */
  readonly never?: { readonly [name: string]: Check };
  /** Must hold in the end. */
  readonly eventually?: { readonly [name: string]: Check };
}

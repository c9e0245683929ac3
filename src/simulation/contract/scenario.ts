import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { ControllerName } from "@tsbuilder/cluster";
import type { ExecResult, Manager, ManagerOptions } from "@tsbuilder/runtime";
import type { ExecOptions, UnstructuredObject } from "@tsbuilder/runtime/advanced";
import type { PolicyRule } from "@tsbuilder/runtime/k8s/rbac/v1";
import { findKind } from "@tsbuilder/apimachinery/kinds";
import type { ExternalSystem } from "./external.ts";
import type { Fault } from "./fault.ts";
import type { Promises } from "./promises.ts";
import type { Ref } from "./state.ts";

/** A world, the events in it, and the conditions that must hold. */
export interface Scenario extends Promises {
  readonly operators: readonly SimulatedOperator[];
  readonly crds?: readonly WrittenObject[];
  /** Objects that exist before the operators start. */
  readonly objects?: readonly WrittenObject[];
  readonly steps?: readonly Step[];
  readonly faults?: readonly Fault[];
  /** Decides everything that the scenario leaves open. Default: 1. */
  readonly seed?: number;
  /** The cluster's own controllers, besides the garbage collector and that of namespaces. Default: none. */
  readonly controllers?: readonly ControllerName[];
  /** Systems outside of the cluster, by name. The first whose `url` fits answers a `fetch()`; the first with `exec`, all commands. */
  readonly external?: { readonly [name: string]: ExternalSystem };
  /** Answers the operators' other calls of `fetch()`. What it remembers outlives a run: for that, there is `external`. */
  readonly http?: (request: Request) => Response | Promise<Response>;
  /** Answers the operators' commands in containers (`client.exec`), if no system in `external` does. */
  readonly exec?: (command: ContainerCommand) => Partial<ExecResult> | Promise<Partial<ExecResult>>;
  readonly limits?: Limits;
  /** Returns true for objects that the operators keep on purpose after a deletion, such as data. Default: none. */
  readonly mayStay?: (object: KubernetesObject) => boolean;
  /**
   * Returns true for an object, or one of its fields, such as `metadata.annotations.replaced`, that may depend on the way
   * to the spec. It isn't compared. Default: none.
   */
  readonly mayDiffer?: (object: KubernetesObject, field: string | undefined) => boolean;
}

/**
 * An operator that runs in a process of its own, in any language. It has the time of its machine, so that a run is not the same each
 * time; the cluster's time passes as fast while the operator works, and is skipped while it waits.
 */
export interface OperatorProgram {
  /** The ServiceAccount that it acts as. The scenario's objects bind its roles. */
  readonly account: { readonly namespace: string; readonly name: string };
  /** The plural of the kind that users change, such as `shops`: a process that watches it has started. */
  readonly resource: string;
  /** Starts a process that reaches the cluster at a URL, without credentials. Calls `onExit` once it has ended. */
  readonly start: (server: string, onExit: (reason: string) => void) => Promise<StartedProgram>;
  /** The paths of its webhooks. */
  readonly webhookPaths: readonly string[];
  /** Several processes may run at once, each on a cluster of its own. */
  readonly runsSideBySide: boolean;
}

/** A process, with all that it has started. */
export interface StartedProgram {
  signal(signal: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void;
  /** Brings a call of the API server to a webhook, by its path. */
  callWebhook(path: string, body: string): Promise<{ readonly status: number; readonly body: object }>;
}

/** An operator in a simulation. */
export interface SimulatedOperator {
  /** The name of its manager and its service account. Its processes are `<name>-0` and so on. */
  readonly name: string;
  /** Adds its controllers to the manager, as the setup functions of a project do. Called whenever a process starts. */
  readonly setup: (manager: Manager) => void | Promise<void>;
  /** Runs it in a process of its own, instead of `setup`. */
  readonly program?: OperatorProgram;
  /** Its previous release: some runs begin with it, and are upgraded in the middle. */
  readonly former?: OperatorRelease;
  /** Its next release: runs are upgraded to it, and rolled back. What else goes wrong with this release is of no interest. */
  readonly next?: OperatorRelease;
  /** Default: 1. With more than one, a lease elects the process that works, unless `sharding` is set. */
  readonly replicas?: number;
  /** Lets the processes share the objects instead of electing one process: the `by` of the manager's `sharding`. */
  readonly sharding?: "uid" | "namespace";
  /** The permissions of its service account, as in `config/rbac/role.yaml`. Default: all. */
  readonly rules?: readonly PolicyRule[];
  readonly manager?: Partial<Omit<ManagerOptions, "name" | "config" | "clock" | "logger" | "ownsProcess">>;
}

/** Another release of an operator. What it doesn't have is as in the scenario. */
export interface OperatorRelease extends Pick<SimulatedOperator, "setup" | "rules"> {
  /** The CRDs that are installed with it, in place of the scenario's. */
  readonly crds?: readonly WrittenObject[];
  /** The configurations of webhooks that are installed with it, in place of the scenario's. */
  readonly webhooks?: readonly WrittenObject[];
}

/** Returns whether a lease elects the process of an operator that works. */
export function isElected({ replicas = 1, sharding }: SimulatedOperator): boolean {
  return replicas > 1 && sharding === undefined;
}

/** An object of a type, or as it is written in YAML. */
export type WrittenObject = KubernetesObject | UnstructuredObject;

interface Planned {
  /** Milliseconds to wait before the step. Default: the seed decides. */
  readonly after?: number;
  /** The purpose of the step, for the story. */
  readonly why?: string;
  /** The schema allows the step, but no operator can carry it out: the image doesn't exist, say. A later step corrects it. */
  readonly strange?: boolean;
}

/** An action of a user. Steps are data only, so that they can be left out, and written into a test. */
export type Step =
  /** Creates the object, or replaces everything but metadata and status: a field that is omitted is removed. */
  | (Planned & { readonly do: "apply"; readonly object: WrittenObject })
  /** Merges into the status, as another controller would. */
  | (Planned & { readonly do: "status"; readonly target: Ref; readonly status: object })
  | (Planned & { readonly do: "patch"; readonly target: Ref; readonly merge: object })
  | (Planned & { readonly do: "delete"; readonly target: Ref })
  /** Waits until the operators rest. */
  | { readonly do: "settle" };

/** Returns the objects that steps apply. */
export function appliedIn(steps: readonly Step[] = []): KubernetesObject[] {
  return steps.flatMap((step) => (step.do === "apply" ? [step.object] : []));
}

/** A command that an operator runs in a container. */
export interface ContainerCommand {
  readonly namespace: string;
  readonly pod: string;
  readonly command: readonly string[];
  readonly options: ExecOptions;
}

/** Limits on the way to rest: an operator that exceeds one is taken never to rest. */
export interface Limits {
  /** Virtual milliseconds without a pause of ten seconds. Default: half an hour. */
  readonly time?: number;
  /**
   * Real milliseconds after which a program does by itself what its own timers make due: its mistakes must show after such a wait,
   * too. Default: 12,000.
   */
  readonly patience?: number;
  /** Changes of all objects. Default: 2500. */
  readonly changes?: number;
  /** Changes of one object, or creations of objects with one `generateName`. Default: 250. */
  readonly changesOfObject?: number;
}

/** Puts namespaced objects and targets without a namespace into `default`, as kubectl does. */
export function readScenario(scenario: Scenario): Scenario {
  const { crds = [], objects = [], steps = [] } = scenario;
  const scopes = new Map([...crds, ...objects, ...appliedIn(steps)].flatMap(scopeOf));
  const isNamespaced = ({ apiVersion, kind }: { apiVersion: string; kind: string }): boolean => {
    const [version, group = ""] = apiVersion.split("/").toReversed() as [string, string?];
    const scope = scopes.get(`${group} ${kind}`) ?? findKind({ group, version }, kind)?.scope;
    return scope === "Namespaced";
  };
  const withNamespace = (object: KubernetesObject): KubernetesObject =>
    object.metadata.namespace !== undefined || !isNamespaced(object)
      ? object
      : { ...object, metadata: { ...object.metadata, namespace: "default" } };
  const withTargetNamespace = (target: Ref): Ref =>
    target.namespace !== undefined || !isNamespaced(target) ? target : { ...target, namespace: "default" };
  const readStep = (step: Step): Step => {
    if (step.do === "settle") return step;
    if (step.do === "apply") {
      const object = withNamespace(step.object);
      return object === step.object ? step : { ...step, object };
    }
    const target = withTargetNamespace(step.target);
    return target === step.target ? step : { ...step, target };
  };
  return {
    ...scenario,
    ...(scenario.objects && { objects: objects.map(withNamespace) }),
    ...(scenario.steps && { steps: steps.map(readStep) }),
  };
}

/** Returns the kind that a CRD defines, with its scope. */
function scopeOf({ kind, ...object }: KubernetesObject): Array<readonly [string, string]> {
  if (kind !== "CustomResourceDefinition" || !("spec" in object)) return [];
  const { group, names, scope } = object.spec as { group: string; names: { kind: string }; scope: string };
  return [[`${group} ${names.kind}`, scope]];
}

// Admission: the plugins that every write passes. This file has the chain and its rounds; `assemble-cluster.ts` lists
// the plugins in their order. The small ones are in `plugins.ts`, each large one has a file, and the folders have those
// that users configure: admission policies and webhooks.

import { copyJSON, isEqual } from "@tsbuilder/apimachinery/json";
import type { StatusDetails } from "@tsbuilder/apimachinery/meta";
import type { ApiObject } from "../contract/api-object.ts";
import type { Admission, AdmissionRequest } from "../registry/core.ts";
import { qualifiedName } from "../contract/status-error.ts";

/** One plugin of the chain. It denies a request by throwing a StatusError. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Returns the object for the next plugin. It may change the request's object in place. */
  mutate?(request: AdmissionRequest, rounds: Rounds): ApiObject | undefined | Promise<ApiObject | undefined>;
  validate?(request: AdmissionRequest): void | Promise<void>;
}

/** The chain of every write: the mutating plugins, then, after defaults and validation, the validating ones. */
export class AdmissionChain implements Admission {
  readonly #plugins: readonly AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
  }

  async mutate(request: AdmissionRequest): Promise<ApiObject | undefined> {
    const rounds = new Rounds();
    let current = request;
    do current = await this.#mutateOnce(current, rounds);
    while (rounds.next());
    return current.object;
  }

  /** Runs all plugins once. Awaits only promises: most plugins have nothing to do for most objects. */
  async #mutateOnce(request: AdmissionRequest, rounds: Rounds): Promise<AdmissionRequest> {
    let current = request;
    for (const plugin of this.#plugins) {
      const mutated = plugin.mutate?.(current, rounds);
      const object = mutated instanceof Promise ? await mutated : mutated;
      if (object !== undefined && object !== current.object) current = { ...current, object };
    }
    return current;
  }

  async validate(request: AdmissionRequest): Promise<void> {
    for (const plugin of this.#plugins) {
      const validated = plugin.validate?.(request);
      if (validated) await validated;
    }
  }
}

/**
 * The rounds of one request through the mutating plugins. If a webhook or a policy changes the object, all plugins run
 * a second time, with the webhooks and policies whose reinvocation policy is `IfNeeded`.
 */
export class Rounds {
  #isSecond = false;
  #isSecondNeeded = false;
  readonly #calls = new Map<string, Calls>();

  /** The calls that a plugin has made in all rounds. `object` is the object as the plugin receives it in this round. */
  callsOf(plugin: string, object: ApiObject | undefined): Calls {
    const calls = this.#calls.get(plugin) ?? new Calls(() => void (this.#isSecondNeeded = true));
    this.#calls.set(plugin, calls);
    if (this.#isSecond) calls.startAgain(object);
    return calls;
  }

  /** Begins the second round if one is needed; there is no third. */
  next(): boolean {
    if (this.#isSecond || !this.#isSecondNeeded) return false;
    this.#isSecond = true;
    return true;
  }
}

/** The calls of one plugin's webhooks or policies, and those that the second round must repeat. */
class Calls {
  readonly #onChange: () => void;
  readonly #repeatable = new Set<unknown>();
  readonly #due = new Set<unknown>();
  #isSecond = false;
  #endOfFirstRound: ApiObject | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Returns true in the first round, and in the second for calls that a later change made due again. */
  isDue(key: unknown): boolean {
    return !this.#isSecond || this.#due.has(key);
  }

  /** Records that the object has changed: all keys remembered so far are due again. */
  noteChange(): void {
    this.#repeatAll();
    this.#onChange();
  }

  /** Remembers a webhook or policy that is called again after a change. */
  remember(key: unknown): void {
    this.#repeatable.add(key);
  }

  /** Keeps the object at the end of the first round, to compare it in the second. */
  endRound(object: ApiObject | undefined): void {
    if (this.#repeatable.size > 0 && !this.#isSecond) this.#endOfFirstRound = copyJSON(object);
  }

  /** Begins the second round. If the object has changed since the first, all remembered keys are due. */
  startAgain(object: ApiObject | undefined): void {
    this.#isSecond = true;
    if (this.#repeatable.size > 0 && !isEqual(this.#endOfFirstRound, object)) this.#repeatAll();
  }

  #repeatAll(): void {
    for (const key of this.#repeatable) this.#due.add(key);
    this.#repeatable.clear();
  }
}

/** Returns true if a request creates a pod. */
export function isNewPod(request: AdmissionRequest): request is AdmissionRequest & { object: ApiObject } {
  const { operation, resource, subresource, object } = request;
  if (operation !== "CREATE" || subresource !== "" || object === undefined) return false;
  return resource.group === "" && resource.plural === "pods" && object["spec"] !== undefined;
}

/** Returns true if a request updates a pod, not one of its subresources. */
export function isChangedPod(
  request: AdmissionRequest,
): request is AdmissionRequest & { object: ApiObject; oldObject: ApiObject } {
  const { operation, resource, subresource, object, oldObject } = request;
  if (operation !== "UPDATE" || subresource !== "" || !oldObject) return false;
  return resource.group === "" && resource.plural === "pods" && object?.["spec"] !== undefined;
}

/** The object in a denial, as text and as details: by its `generateName` if it has no name yet. */
export function refusalSubject({ resource, name, object }: AdmissionRequest): {
  readonly text: string;
  readonly details: StatusDetails;
} {
  const { group, plural } = resource;
  const shownName = name || object?.metadata.name || object?.metadata.generateName || "Unknown";
  return {
    text: `${qualifiedName(resource)} ${JSON.stringify(shownName)}`,
    details: { name: shownName, ...(group !== "" && { group }), kind: plural },
  };
}

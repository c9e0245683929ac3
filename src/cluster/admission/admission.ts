import type { ApiObject } from "../contract/api-object.ts";
import type { Admission, AdmissionRequest } from "../registry/admission-request.ts";
import { Rounds } from "./rounds.ts";

/** Whether a request creates a pod, which several plugins add fields to. */
export function isNewPod(request: AdmissionRequest): request is AdmissionRequest & { object: ApiObject } {
  const { operation, resource, subresource, object } = request;
  if (operation !== "CREATE" || subresource !== "" || object === undefined) return false;
  return resource.group === "" && resource.plural === "pods" && object["spec"] !== undefined;
}

/** Whether a request replaces a pod, not one of its subresources. */
export function isChangedPod(
  request: AdmissionRequest,
): request is AdmissionRequest & { object: ApiObject; oldObject: ApiObject } {
  const { operation, resource, subresource, object, oldObject } = request;
  if (operation !== "UPDATE" || subresource !== "" || !oldObject) return false;
  return resource.group === "" && resource.plural === "pods" && object?.["spec"] !== undefined;
}

/** One plugin of the chain. It denies a request by throwing a StatusError. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Returns the object for the next plugin. It may change the request's object in place. */
  mutate?(request: AdmissionRequest, rounds: Rounds): ApiObject | undefined | Promise<ApiObject | undefined>;
  validate?(request: AdmissionRequest): void | Promise<void>;
}

/** The chain that every write passes: all mutating plugins first, then, after defaults and validation, the validating ones. */
export class AdmissionChain implements Admission {
  readonly #plugins: readonly AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
  }

  async mutate(request: AdmissionRequest): Promise<ApiObject | undefined> {
    const rounds = new Rounds();
    let seen = request;
    do seen = await this.#mutateOnce(seen, rounds);
    while (rounds.next());
    return seen.object;
  }

  /** Returns the request with the object as the plugins leave it; for most objects few of them have anything to do. */
  async #mutateOnce(request: AdmissionRequest, rounds: Rounds): Promise<AdmissionRequest> {
    let seen = request;
    for (const plugin of this.#plugins) {
      const mutated = plugin.mutate?.(seen, rounds);
      const object = mutated instanceof Promise ? await mutated : mutated;
      if (object !== undefined && object !== seen.object) seen = { ...seen, object };
    }
    return seen;
  }

  async validate(request: AdmissionRequest): Promise<void> {
    for (const plugin of this.#plugins) {
      const validated = plugin.validate?.(request);
      if (validated) await validated;
    }
  }
}

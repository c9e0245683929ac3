import type { Registry } from "../../registry/registry.ts";
import type { Store } from "../../storage/store.ts";
import type { ApiObject } from "../../contract/api-object.ts";
import { type AdmissionRequest, requestNamespace } from "../../registry/admission-request.ts";
import type { ActivePolicy } from "./active-policies.ts";
import { findParamKind, findParams, MisconfiguredError, type ParamResource } from "./find-params.ts";
import { matchResources } from "./match-resources.ts";
import type { Policy, PolicyBinding, PolicySpec } from "../../expressions/policy.ts";

/** A policy that applies to a request, with one parameter object. */
export interface PolicyCall<Spec extends PolicySpec, Compiled> {
  readonly policy: Policy<Spec>;
  readonly binding: PolicyBinding;
  readonly compiled: Compiled;
  /** The version in which the policy's rule matches the object. */
  readonly version: string;
  readonly params: ApiObject | undefined;
}

/** A misconfigured policy or binding. */
export interface PolicyFault<Spec extends PolicySpec> {
  readonly policy: Policy<Spec>;
  readonly binding?: PolicyBinding;
  readonly fault: string;
}

/** Finds the policies that apply to a request: one call for each policy, binding and parameter object. */
export async function* findCalls<Spec extends PolicySpec, Compiled>(
  active: ReadonlyArray<ActivePolicy<Spec, Compiled>>,
  request: AdmissionRequest,
  { store, registry }: { readonly store: Store; readonly registry: Registry },
): AsyncGenerator<PolicyCall<Spec, Compiled> | PolicyFault<Spec>> {
  for (const { policy, bindings, compiled } of active) {
    const version = matchResources(policy.spec.matchConstraints ?? {}, request, store);
    if (version === undefined) continue;
    let kind: ParamResource | undefined;
    try {
      kind = findParamKind(policy.spec, registry);
    } catch (error) {
      yield { policy, fault: `failed to configure policy: ${reasonOf(error)}` };
      continue;
    }
    for (const binding of bindings) {
      const match = binding.spec.matchResources;
      if (match && matchResources(match, request, store) === undefined) continue;
      try {
        const found = await findParams(kind, binding.spec.paramRef, requestNamespace(request));
        for (const params of found) yield { policy, binding, compiled, version, params };
      } catch (error) {
        yield { policy, binding, fault: `failed to configure binding: ${reasonOf(error)}` };
      }
    }
  }
}

/** Other errors are bugs, or already the error for the client. */
function reasonOf(error: unknown): string {
  if (error instanceof MisconfiguredError) return error.message;
  throw error;
}

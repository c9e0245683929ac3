import type { Store } from "../../storage/store.ts";
import type { Policy, PolicyBinding, PolicySpec } from "../../expressions/policy.ts";

/** A policy with at least one binding. */
export interface ActivePolicy<Spec extends PolicySpec, Compiled> {
  readonly policy: Policy<Spec>;
  readonly bindings: readonly PolicyBinding[];
  readonly compiled: Compiled;
}

const group = "admissionregistration.k8s.io";

/** The policies that have bindings, by name: a cache that is cleared when a policy or binding changes. Each is compiled once. */
export class ActivePolicies<Spec extends PolicySpec, Compiled> {
  readonly #store: Store;
  readonly #names: { readonly policies: string; readonly bindings: string };
  readonly #compile: (spec: Spec) => Compiled;
  readonly #compiled = new WeakMap<Spec, Compiled>();
  #active: ReadonlyArray<ActivePolicy<Spec, Compiled>> | undefined;

  constructor(store: Store, prefix: "validating" | "mutating", compile: (spec: Spec) => Compiled) {
    this.#store = store;
    this.#compile = compile;
    this.#names = {
      policies: `${prefix}admissionpolicies.${group}`,
      bindings: `${prefix}admissionpolicybindings.${group}`,
    };
    const forget = () => void (this.#active = undefined);
    for (const name of Object.values(this.#names)) store.collection(name).listen(forget);
  }

  list(): ReadonlyArray<ActivePolicy<Spec, Compiled>> {
    this.#active ??= this.#collect();
    return this.#active;
  }

  #collect(): Array<ActivePolicy<Spec, Compiled>> {
    const bindings = this.#store
      .collection(this.#names.bindings)
      .list()
      .map(({ object }) => object as PolicyBinding);
    return this.#store
      .collection(this.#names.policies)
      .list()
      .flatMap(({ object }) => {
        const policy = object as Policy<Spec>;
        const own = bindings.filter(({ spec }) => spec.policyName === policy.metadata.name);
        return own.length > 0 ? [{ policy, bindings: own, compiled: this.#compiledOf(policy.spec) }] : [];
      });
  }

  #compiledOf(spec: Spec): Compiled {
    const known = this.#compiled.get(spec) ?? this.#compile(spec);
    this.#compiled.set(spec, known);
    return known;
  }
}

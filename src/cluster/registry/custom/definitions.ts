import { findCondition, setCondition } from "@tsbuilder/apimachinery/meta";
import type { Clock } from "../../clock/index.ts";
import type { Collection } from "../../storage/collection.ts";
import type { Store } from "../../storage/store.ts";
import type { Core } from "../core.ts";
import type { Registry } from "../registry.ts";
import { customResource } from "./custom-resource.ts";
import type { CustomResourceDefinition } from "./custom-resource-definition.ts";

/** Serves what CRDs describe from now on; the answer ends that. */
export function serveDefinitions({ registry, store, clock }: Core): () => void {
  const definitions = new Definitions(registry, store, clock);
  return definitions.follow();
}

/** Tells in the conditions of CRDs how far they are served. */
class Definitions {
  readonly #registry: Registry;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #crds: Collection;

  constructor(registry: Registry, store: Store, clock: Clock) {
    this.#registry = registry;
    this.#store = store;
    this.#clock = clock;
    this.#crds = store.collection("customresourcedefinitions.apiextensions.k8s.io");
  }

  follow(): () => void {
    for (const { key } of this.#crds.list()) this.#settle(key);
    return this.#crds.listen(({ entry }) => this.#settle(entry.key));
  }

  #settle(key: string): void {
    const stored = this.#crds.get(key);
    if (!stored) return this.#withdraw(key);
    const crd = stored.object as CustomResourceDefinition;
    const next = this.#withConditions(crd);
    this.#serve(next);
    if (next !== crd) this.#store.put(this.#crds, key, next);
    return undefined;
  }

  #withdraw(key: string): void {
    const [plural, ...group] = key.split(".");
    this.#registry.remove(group.join("."), plural!);
  }

  #serve(crd: CustomResourceDefinition): void {
    const collection = this.#store.collection(`${crd.spec.names.plural}.${crd.spec.group}`);
    this.#registry.add(customResource(crd, collection));
  }

  #withConditions(crd: CustomResourceDefinition): CustomResourceDefinition {
    const before = crd.status?.conditions;
    if (findCondition(before, "Established")?.status === "True") return crd;
    const now = () => this.#clock.now();
    let conditions = setCondition(
      before,
      { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" },
      now,
    );
    conditions = setCondition(
      conditions,
      {
        type: "Established",
        status: "True",
        reason: "InitialNamesAccepted",
        message: "the initial names have been accepted",
      },
      now,
    );
    return { ...crd, status: { ...crd.status, acceptedNames: crd.spec.names, conditions } };
  }
}

import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Run, Scenario } from "../contract/index.ts";
import { refText, refTextOf } from "../contract/state.ts";
import { type CRD, checkedKind } from "../operations/draw-object.ts";
import type { FieldName } from "../operations/draw-value.ts";
import { changedFields, fieldsOf } from "../operations/fields.ts";
import { isWithin } from "../operations/places.ts";

/** The kinds of writes that the operators made, and those at which no process died. The name of the object doesn't count. */
export interface CrashPoints {
  /** All kinds of writes, such as `shop: PATCH ConfigMap`. */
  readonly all: readonly string[];
  readonly missed: readonly string[];
}

/** Collects what an exploration has reached, and what it hasn't. */
export class Coverage {
  readonly #writePoints = new Set<string>();
  readonly #diedAt = new Set<string>();
  readonly #changed = new Set<FieldName>();
  /** The fields of the kinds that users create, by kind. */
  readonly #fields = new Map<string, readonly FieldName[]>();

  /** Adds the changes that the users of a plan make. What the API server rejects is no change. */
  addPlan({ steps = [], crds = [] }: Scenario): void {
    const objects = new Map<string, KubernetesObject>();
    for (const step of steps) {
      if (step.do === "delete") objects.delete(refText(step.target));
      if (step.do !== "apply" || ("expect" in step && step.expect === "rejected")) continue;
      const { object } = step;
      const crd = (crds as readonly (KubernetesObject & CRD)[]).find(
        ({ spec }) => spec.names.kind === object.kind && object.apiVersion.startsWith(`${spec.group}/`),
      );
      if (!crd) continue;
      if (!this.#fields.has(object.kind)) this.#fields.set(object.kind, fieldsOf(checkedKind(crd).schema));
      const key = refTextOf(object);
      const before = objects.get(key);
      if (before) for (const field of changedFields(before, object)) this.#changed.add(field);
      objects.set(key, object);
    }
  }

  addRun({ writePoints, diedAt }: Run): void {
    for (const point of writePoints) this.#writePoints.add(point);
    for (const point of diedAt) this.#diedAt.add(point);
  }

  get reached(): { readonly crashPoints: CrashPoints; readonly unchanged: readonly FieldName[] } {
    const all = [...this.#writePoints].sort();
    const missed = all.filter((point) => !this.#diedAt.has(point));
    const unchanged = [...this.#fields.values()].flat().filter((field) => !this.#changed.has(field));
    const outer = unchanged.filter(
      (field) => !unchanged.some((other) => other !== field && isWithin(field, other)),
    );
    return { crashPoints: { all, missed }, unchanged: outer };
  }
}

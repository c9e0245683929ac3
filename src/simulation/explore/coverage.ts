import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Run, Scenario } from "../contract/index.ts";
import { kindOfCall } from "../contract/run.ts";
import { refText, refTextOf } from "../contract/state.ts";
import { type CRD, checkedKind } from "../operations/draw-object.ts";
import type { FieldName } from "@tsbuilder/apimachinery/sample";
import { changedFields, fieldsOf } from "../operations/fields.ts";
import { isWithin } from "../operations/places.ts";

/** All points of one sort that the runs came by, and those that no fault struck. */
export interface Points {
  readonly all: readonly string[];
  readonly missed: readonly string[];
}

/** What an exploration has reached. */
export interface Reached {
  /** The kinds of writes, such as `shop: PATCH ConfigMap`, and those at which no process died. The name of the object doesn't count. */
  readonly crashPoints: Points;
  /** The kinds of calls of other systems, such as `DELETE dns`, and those that never failed. */
  readonly calls: Points;
  /** The fields of the kinds that users created and never changed, outer ones only: `spec.tls`. */
  readonly unchanged: readonly string[];
}

/** Collects what an exploration has reached, and what it hasn't. */
export class Coverage {
  readonly #writePoints = new Set<string>();
  readonly #diedAt = new Set<string>();
  readonly #calls = new Set<string>();
  readonly #failed = new Set<string>();
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

  addRun({ writePoints, diedAt, trace }: Run): void {
    for (const point of writePoints) this.#writePoints.add(point);
    for (const point of diedAt) this.#diedAt.add(point);
    for (const event of trace) {
      if (event.type !== "call") continue;
      this.#calls.add(kindOfCall(event));
      if (isFailure(event.status)) this.#failed.add(kindOfCall(event));
    }
  }

  get reached(): Reached {
    const unchanged = [...this.#fields.values()].flat().filter((field) => !this.#changed.has(field));
    const outer = unchanged.filter(
      (field) => !unchanged.some((other) => other !== field && isWithin(field, other)),
    );
    return {
      crashPoints: pointsIn(this.#writePoints, this.#diedAt),
      calls: pointsIn(this.#calls, this.#failed),
      unchanged: outer,
    };
  }
}

function pointsIn(points: ReadonlySet<string>, struck: ReadonlySet<string>): Points {
  const all = [...points].sort();
  return { all, missed: all.filter((point) => !struck.has(point)) };
}

/** Returns whether a call got no answer, the answer of a system that fails, or the exit code of a command that does. */
function isFailure(status: number | undefined): boolean {
  return status === undefined || status === 429 || status >= 500 || (status > 0 && status < 100);
}

import type { JSONObject } from "@tsbuilder/apimachinery/json";
import { applyMergePatch } from "@tsbuilder/apimachinery/patch";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { type Ref, refOf, refText, type Scenario, type Step } from "../contract/index.ts";

/**
 * The shortest way to what the steps ask for in the end: each object is applied once, as it was last. What exists from
 * the start and is changed or deleted by a step is not there before.
 */
export function lastWords(
  { objects: given = [], steps = [] }: Scenario,
  rejected: readonly Step[],
): Required<Pick<Scenario, "objects" | "steps">> {
  const objects = new Map(given.map((object) => [refText(refOf(object)), object]));
  const touched = new Set<string>();
  const statuses = new Map<string, Step & { readonly do: "status" }>();
  for (const step of steps) {
    if (rejected.includes(step)) continue;
    if (step.do === "apply" || step.do === "patch" || step.do === "delete")
      touched.add(refText(step.do === "apply" ? refOf(step.object) : step.target));
    if (step.do === "apply") objects.set(refText(refOf(step.object)), withMetadata(step.object, objects));
    else if (step.do === "status") {
      const key = refText(step.target);
      const before = statuses.get(key)?.status ?? {};
      statuses.set(key, {
        ...step,
        status: applyMergePatch(before as JSONObject, step.status as JSONObject),
      });
    } else if (step.do === "patch") {
      const key = refText(step.target);
      const before = objects.get(key);
      if (before)
        objects.set(
          key,
          applyMergePatch(
            before as unknown as JSONObject,
            step.merge as JSONObject,
          ) as unknown as KubernetesObject,
        );
    } else if (step.do === "delete") {
      for (const [key, object] of objects)
        if (isWithin(object, step.target)) {
          touched.add(key);
          objects.delete(key);
          statuses.delete(key);
        }
    }
  }
  const applies = [...objects].flatMap(([key, object]): Step[] =>
    touched.has(key) ? [{ do: "apply", object }] : [],
  );
  return {
    objects: given.filter((object) => !touched.has(refText(refOf(object)))),
    steps: statuses.size === 0 ? applies : [...applies, { do: "settle" }, ...statuses.values()],
  };
}

/** Whether an object goes with what is deleted: it is that, or in that namespace. */
function isWithin(object: KubernetesObject, deleted: Ref): boolean {
  if (refText(refOf(object)) === refText(deleted)) return true;
  return (
    deleted.apiVersion === "v1" && deleted.kind === "Namespace" && object.metadata.namespace === deleted.name
  );
}

/** Labels and annotations that a later step omits stay, as with `kubectl replace` of what was read. */
function withMetadata(
  object: KubernetesObject,
  objects: ReadonlyMap<string, KubernetesObject>,
): KubernetesObject {
  const { labels, annotations } = objects.get(refText(refOf(object)))?.metadata ?? {};
  return {
    ...object,
    metadata: {
      ...object.metadata,
      ...((labels ?? object.metadata.labels) && { labels: object.metadata.labels ?? labels }),
      ...((annotations ?? object.metadata.annotations) && {
        annotations: object.metadata.annotations ?? annotations,
      }),
    },
  };
}

import type { JSONObject } from "@tsbuilder/apimachinery/json";
import { applyMergePatch } from "@tsbuilder/apimachinery/patch";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { refOf, refText, type Step } from "../contract/index.ts";

/** The shortest way to what the steps ask for in the end: each object is applied once, as it was last. */
export function lastWords(steps: readonly Step[], rejected: readonly Step[]): Step[] {
  const objects = new Map<string, KubernetesObject>();
  const statuses = new Map<string, Step & { readonly do: "status" }>();
  for (const step of steps) {
    if (rejected.includes(step)) continue;
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
      objects.delete(refText(step.target));
      statuses.delete(refText(step.target));
    }
  }
  const applies = [...objects.values()].map((object): Step => ({ do: "apply", object }));
  if (statuses.size === 0) return applies;
  return [...applies, { do: "settle" }, ...statuses.values()];
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

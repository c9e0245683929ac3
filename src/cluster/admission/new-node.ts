import type { NodeSpec, Taint } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { AdmissionPlugin } from "./admission.ts";

const taint: Taint = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

/** A new node gets no pods before it is ready. */
export const newNode: AdmissionPlugin = {
  name: "TaintNodesByCondition",
  mutate({ operation, resource, subresource, object }) {
    if (operation !== "CREATE" || resource.plural !== "nodes" || resource.group !== "") return undefined;
    if (subresource !== "" || !object) return undefined;
    object["spec"] ??= {};
    const spec = object["spec"] as NodeSpec;
    const isTainted = spec.taints?.some(({ key, effect }) => key === taint.key && effect === taint.effect);
    if (!isTainted) spec.taints = [...(spec.taints ?? []), { ...taint }];
    return object;
  },
};

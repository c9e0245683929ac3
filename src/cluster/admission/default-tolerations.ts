import type { Toleration } from "../kinds/core/pod-spec/types.ts";
import { type AdmissionPlugin, isNewPod } from "./admission.ts";

const patience = 300;

/** A pod stays for five minutes on a node that is not well. */
export const defaultTolerations: AdmissionPlugin = {
  name: "DefaultTolerationSeconds",
  mutate(request) {
    if (!isNewPod(request)) return undefined;
    const spec = request.object["spec"] as { tolerations?: Toleration[] };
    const tolerations = spec.tolerations ?? [];
    for (const key of ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]) {
      if (tolerations.some((toleration) => covers(toleration, key))) continue;
      tolerations.push({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: patience });
    }
    spec.tolerations = tolerations;
    return request.object;
  },
};

function covers({ key, operator, effect }: Toleration, taint: string): boolean {
  const matches = key === taint || (!key && operator === "Exists");
  return matches && (!effect || effect === "NoExecute");
}

import type { PodSpec, Toleration } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { Sent } from "../contract/sent.ts";
import { type AdmissionPlugin, isChangedPod, isNewPod } from "./admission.ts";

const tolerationSeconds = 300;

/** A pod stays for five minutes on a node that is not ready or unreachable, even if an update omits this. */
export const defaultTolerations: AdmissionPlugin = {
  name: "DefaultTolerationSeconds",
  mutate(request) {
    if (!isNewPod(request) && !isChangedPod(request)) return undefined;
    const spec = request.object["spec"] as Sent<PodSpec>;
    const tolerations = spec.tolerations ?? [];
    for (const key of ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]) {
      if (tolerations.some((toleration) => covers(toleration, key))) continue;
      tolerations.push({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds });
    }
    spec.tolerations = tolerations;
    return request.object;
  },
};

function covers({ key, effect }: Sent<Toleration>, taint: string): boolean {
  return (!key || key === taint) && (!effect || effect === "NoExecute");
}

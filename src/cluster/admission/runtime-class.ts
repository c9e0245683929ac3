import { isEqual } from "@tsbuilder/apimachinery/json";
import type { PodSpec } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { RuntimeClass } from "@tsbuilder/apimachinery/k8s/node/v1";
import type { Sent } from "../contract/sent.ts";
import { forbidden } from "../contract/status-error.ts";
import type { Store } from "../storage/store.ts";
import { type AdmissionPlugin, isNewPod } from "./admission.ts";

/** Copies overhead, node selector and tolerations of the runtime class into pods. */
export function runtimeClass(store: Store): AdmissionPlugin {
  return {
    name: "RuntimeClass",
    mutate(request) {
      if (!isNewPod(request)) return undefined;
      const spec = request.object["spec"] as Sent<PodSpec>;
      const { runtimeClassName: name } = spec;
      if (name === undefined) return undefined;
      const refuse = (reason: string): never => {
        throw forbidden(request.resource, request.object.metadata.name ?? "", reason);
      };
      const stored = store.collection("runtimeclasses.node.k8s.io").get(name);
      if (!stored) return refuse(`pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
      const { overhead, scheduling } = stored.object as unknown as RuntimeClass;
      if (overhead?.podFixed) {
        if (Object.keys(spec.overhead ?? {}).length > 0 && !isEqual(spec.overhead, overhead.podFixed)) {
          refuse("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
        }
        spec.overhead = { ...overhead.podFixed };
      }
      for (const [key, value] of Object.entries(scheduling?.nodeSelector ?? {})) {
        const own = spec.nodeSelector?.[key] ?? value;
        if (own !== value) {
          refuse(
            `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`,
          );
        }
        spec.nodeSelector = { ...spec.nodeSelector, [key]: value };
      }
      const more = (scheduling?.tolerations ?? []).filter(
        (toleration) => !spec.tolerations?.some((own) => isEqual(own, toleration)),
      );
      if (more.length > 0) spec.tolerations = [...(spec.tolerations ?? []), ...more];
      return request.object;
    },
    validate(request) {
      if (!isNewPod(request)) return;
      const { overhead, runtimeClassName = "" } = request.object["spec"] as PodSpec;
      const stored = store.collection("runtimeclasses.node.k8s.io").get(runtimeClassName);
      const fixed = (stored?.object as RuntimeClass | undefined)?.overhead?.podFixed;
      if (isEqual(overhead, fixed)) return;
      const why = fixed
        ? "Pod's Overhead doesn't match RuntimeClass's defined Overhead"
        : "Pod Overhead set without corresponding RuntimeClass defined Overhead";
      throw forbidden(request.resource, request.object.metadata.name ?? "", `pod rejected: ${why}`);
    },
  };
}

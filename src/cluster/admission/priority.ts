import type { PodSpec } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { PriorityClass } from "@tsbuilder/apimachinery/k8s/scheduling/v1";
import type { AdmissionRequest } from "../registry/admission-request.ts";
import type { Sent } from "../contract/sent.ts";
import { forbidden } from "../contract/status-error.ts";
import type { ApiObject } from "../contract/api-object.ts";
import type { Store } from "../storage/store.ts";
import { type AdmissionPlugin, isChangedPod, isNewPod } from "./admission.ts";

/** The priority classes that every cluster has. */
export const systemPriorities: readonly (PriorityClass & ApiObject)[] = [
  systemPriority("system-cluster-critical", 2_000_000_000, "critical to the cluster: moved rather than lost"),
  systemPriority("system-node-critical", 2_000_001_000, "critical to its node: it must not be moved"),
];

function systemPriority(name: string, value: number, what: string): PriorityClass & ApiObject {
  return {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name },
    value,
    preemptionPolicy: "PreemptLowerPriority",
    description: `For pods that are ${what}.`,
  };
}

/** Sets the priority of pods from their priority class; users can't set another one. */
export function podPriority(store: Store): AdmissionPlugin {
  const classes = (): PriorityClass[] =>
    store
      .collection("priorityclasses.scheduling.k8s.io")
      .list()
      .map(({ object }) => object as PriorityClass);
  return {
    name: "Priority",
    mutate(request) {
      if (isChangedPod(request)) return withOldPriority(request);
      if (!isNewPod(request)) return undefined;
      const spec = request.object["spec"] as Sent<PodSpec>;
      const name = spec.priorityClassName ?? "";
      const found = classes().find((each) =>
        name === "" ? each.globalDefault : each.metadata.name === name,
      );
      if (!found && name !== "") {
        throw refusal(request, `no PriorityClass with name ${name} was found`);
      }
      const { value = 0, preemptionPolicy = "PreemptLowerPriority" } = found ?? {};
      if (spec.priority !== undefined && spec.priority !== value) {
        throw refusal(
          request,
          `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
        );
      }
      if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy) {
        throw refusal(
          request,
          `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`,
        );
      }
      const chosen = found?.metadata.name;
      Object.assign(spec, {
        priority: value,
        preemptionPolicy,
        ...(chosen && { priorityClassName: chosen }),
      });
      return request.object;
    },
    validate(request) {
      const { resource, object, subresource, name } = request;
      if (resource.plural !== "priorityclasses" || subresource !== "") return;
      if (!(object as PriorityClass | undefined)?.globalDefault) return;
      const other = classes().find((each) => each.globalDefault && each.metadata.name !== name);
      if (!other) return;
      throw refusal(
        request,
        `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`,
      );
    },
  };
}

/** An update that omits what this plugin has set keeps it. */
function withOldPriority({ object, oldObject }: { object: ApiObject; oldObject: ApiObject }): ApiObject {
  const [spec, old] = [object["spec"] as Sent<PodSpec>, oldObject["spec"] as PodSpec];
  if (old.priority !== undefined) spec.priority ??= old.priority;
  if (old.preemptionPolicy !== undefined) spec.preemptionPolicy ??= old.preemptionPolicy;
  return object;
}

function refusal({ resource, object, name }: AdmissionRequest, reason: string): Error {
  return forbidden(resource, object?.metadata.name ?? name, reason);
}

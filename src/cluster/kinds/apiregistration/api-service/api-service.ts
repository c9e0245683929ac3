import type { APIServiceCondition, ServiceReference } from "@tsbuilder/apimachinery/k8s/apiregistration/v1";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { readField } from "../../cells/read-field.ts";
import { type Fields, fillIn } from "../../fill-in.ts";
import { apiServiceProblems, conditionProblems } from "./rules.ts";

const apiServiceStrategy: Partial<Strategy> = {
  default(object) {
    fillIn((object["spec"] as Fields | undefined)?.["service"], () => ({ port: 443 }));
    object["status"] ??= {};
  },
  prepareForCreate(object, { now }) {
    const { service } = (object["spec"] ?? {}) as Fields;
    object["status"] = service === undefined ? { conditions: [localCondition(now)] } : {};
  },
  validateName: () => [],
  validate: (object) => [...apiServiceProblems(object)],
  validateUpdate: (object, _old, { subresource }) =>
    subresource === "status" ? [...conditionProblems(object)] : [...apiServiceProblems(object)],
};

/** The condition of versions that this server serves itself. */
function localCondition(now: number): APIServiceCondition {
  return {
    type: "Available",
    status: "True",
    lastTransitionTime: formatTime(now),
    reason: "Local",
    message: "Local APIServices are always available",
  };
}

export const apiService: BuiltInKind = {
  resource: "apiservices.apiregistration.k8s.io",
  metadataChecks: "~new/update+new/update",
  strategy: apiServiceStrategy,
  cells: {
    Service: (object) => {
      const service = readField<ServiceReference>(object, "spec.service");
      return service ? `${service.namespace}/${service.name}` : "Local";
    },
    Available: (object) => {
      const conditions = readField<APIServiceCondition[]>(object, "status.conditions") ?? [];
      const available = conditions.find(({ type }) => type === "Available");
      if (!available || available.status === "True") return available?.status ?? "Unknown";
      return available.reason ? `${available.status} (${available.reason})` : available.status;
    },
  },
  emptyObject: { spec: {}, status: {} },
  zeroValues: { spec: { groupPriorityMinimum: 0, versionPriority: 0 } },
};

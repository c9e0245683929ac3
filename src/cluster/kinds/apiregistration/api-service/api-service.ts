import type { APIServiceCondition, ServiceReference } from "@tsbuilder/apimachinery/k8s/apiregistration/v1";
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
  validateName: () => [],
  validate: (object) => [...apiServiceProblems(object)],
  validateUpdate: (object, _old, { subresource }) =>
    subresource === "status" ? [...conditionProblems(object)] : [...apiServiceProblems(object)],
};

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
};

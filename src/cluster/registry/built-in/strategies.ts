import type { Strategy } from "../resource.ts";
import { pathSegmentName } from "../validate-name.ts";
import { definitionStrategy } from "./custom-resource-definition.ts";
import { defaultStrategy, resetNothing } from "./default-strategy.ts";
import { namespaceStrategy } from "./namespace.ts";

const rbac: Strategy = {
  ...defaultStrategy,
  createOnUpdate: true,
  validateName: pathSegmentName,
  resetFields: resetNothing,
};
const workload: Strategy = { ...defaultStrategy, generation: true, statusWritesMetadata: true };

/** Strategies of kinds that differ from the default, by `plural.group`. */
export const strategies: ReadonlyMap<string, Strategy> = new Map<string, Strategy>([
  ["namespaces", namespaceStrategy],
  ["customresourcedefinitions.apiextensions.k8s.io", definitionStrategy],
  ["deployments.apps", workload],
  ["statefulsets.apps", workload],
  ["daemonsets.apps", workload],
  ["replicasets.apps", workload],
  ["leases.coordination.k8s.io", { ...defaultStrategy, createOnUpdate: true, unconditionalUpdate: false }],
  ["roles.rbac.authorization.k8s.io", rbac],
  ["rolebindings.rbac.authorization.k8s.io", rbac],
  ["clusterroles.rbac.authorization.k8s.io", rbac],
  ["clusterrolebindings.rbac.authorization.k8s.io", rbac],
  ["events", { ...defaultStrategy, createOnUpdate: true }],
  ["nodes", { ...defaultStrategy, resetFields: resetNothing, statusWritesMetadata: true }],
]);

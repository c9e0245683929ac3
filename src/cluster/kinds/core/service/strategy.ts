import type { ApiObject } from "../../../contract/api-object.ts";
import type { Store } from "../../../storage/store.ts";
import type { Strategy } from "../../../registry/resource.ts";
import { labelName } from "../../../registry/validate-name.ts";
import { resetStatusAlone } from "../../../registry/default-strategy.ts";
import { allocateAddress, allocateNodePorts } from "./allocation.ts";
import { dropFieldsOfType, keepAllocations } from "./change.ts";
import { settleFamilies } from "./ip-families.ts";
import { addressChange, balancerStatus, serviceProblems } from "./rules.ts";
import { hasAddress, isExternal, type Service } from "./types.ts";
import { serviceWarnings } from "./warnings.ts";

/** Services get a unique clusterIP and unique node ports. */
export function serviceStrategy(store: Store): Partial<Strategy> {
  const services = () => store.collection("services");
  const addresses = () => store.collection("ipaddresses.networking.k8s.io");
  return {
    validateName: labelName,
    default: (object) => defaultService(object as Service),
    resetFields(object, old, subresource) {
      resetStatusAlone(object, old, subresource);
    },
    prepareForCreate(object, { subresource }) {
      object["status"] = { loadBalancer: {} };
      if (subresource !== "") return;
      const { spec } = object as Service;
      if (spec.clusterIP && !spec.clusterIPs?.length) spec.clusterIPs = [spec.clusterIP];
    },
    prepareForUpdate(object, old, { subresource }) {
      if (subresource !== "") return;
      keepAllocations(object as Service, old as Service);
      dropFieldsOfType(object as Service, old as Service);
    },
    validate: (object) => [...serviceProblems(object as Service)],
    validateUpdate(object, old, { subresource }) {
      if (subresource === "status") return [...balancerStatus(object as Service)];
      const problems = [...serviceProblems(object as Service)];
      if (problems.some(({ field }) => field.startsWith("spec.clusterIP"))) return problems;
      return [...addressChange(object as Service, old as Service), ...problems];
    },
    warnings: (object) => serviceWarnings(object as Service),
    // A service that is created by its status has no address.
    beforeCommit(object, old, { subresource }) {
      if (subresource !== "") return;
      const service = object as Service;
      if (!hasAddress(service.spec)) delete service.spec.internalTrafficPolicy;
      settleFamilies(service, old as Service | undefined);
      allocateAddress(service, { services: services(), addresses: addresses() }, old?.metadata.uid);
      allocateNodePorts(service, services());
    },
  };
}

const stickySeconds = 10_800;

function defaultService(service: Service): void {
  (service as ApiObject)["spec"] ??= {};
  const { spec } = service;
  spec.sessionAffinity ||= "None";
  spec.type ||= "ClusterIP";
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  if (
    spec.sessionAffinity === "ClientIP" &&
    spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined
  ) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: stickySeconds } };
  }
  for (const port of spec.ports ?? []) {
    port.protocol ||= "TCP";
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === "")
      port.targetPort = port.port ?? 0;
  }
  if (["ClusterIP", "NodePort", "LoadBalancer"].includes(spec.type)) spec.internalTrafficPolicy ??= "Cluster";
  if (isExternal(spec)) spec.externalTrafficPolicy ??= "Cluster";
  if (spec.type === "LoadBalancer") spec.allocateLoadBalancerNodePorts ??= true;
  service.status ??= {};
  service.status.loadBalancer ??= {};
  for (const ingress of service.status.loadBalancer.ingress ?? []) {
    if (spec.type === "LoadBalancer" && ingress.ip) ingress.ipMode ??= "VIP";
  }
}

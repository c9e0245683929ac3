import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "@tsbuilder/apimachinery/schema";
import type { ApiObject } from "../../../storage/api-object.ts";
import type { Store } from "../../../storage/store.ts";
import type { Strategy } from "../../resource.ts";
import { labelName } from "../../validate-name.ts";
import { resetStatusAlone } from "../default-strategy.ts";
import { allocateAddress, allocateNodePort } from "./service-allocation.ts";

export interface ServicePort {
  name?: string;
  port?: number;
  targetPort?: unknown;
  protocol?: string;
  nodePort?: number;
}

export interface Service extends ApiObject {
  spec: {
    type?: string;
    clusterIP?: string;
    clusterIPs?: string[];
    ports?: ServicePort[];
    sessionAffinity?: string;
    sessionAffinityConfig?: { clientIP?: { timeoutSeconds?: number } };
    internalTrafficPolicy?: string;
    externalTrafficPolicy?: string;
    ipFamilies?: string[];
    ipFamilyPolicy?: string;
    allocateLoadBalancerNodePorts?: boolean;
    selector?: Record<string, string>;
    externalName?: string;
  };
  status?: { loadBalancer?: { ingress?: unknown[] } };
}

/** Services get an address and node ports that nobody else has. */
export function serviceStrategy(store: Store): Partial<Strategy> {
  const services = () => store.collection("services");
  return {
    validateName: labelName,
    default: (object) => defaultService(object as Service),
    resetFields(object, old, subresource) {
      resetStatusAlone(object, old, subresource);
      if (old && subresource === "") keepAllocations(object as Service, old as Service);
    },
    prepareForCreate(object) {
      object["status"] = { loadBalancer: {} };
    },
    validate: (object) => validateService(object as Service),
    validateUpdate(object, old, { subresource }) {
      if (subresource === "status") return validateStatus(object as Service);
      return [
        ...validateService(object as Service),
        ...validateAddressChange(object as Service, old as Service),
      ];
    },
    beforeCommit(object, old) {
      const service = object as Service;
      allocateAddress(service, services(), old?.metadata.uid);
      allocateNodePort(service, services());
    },
  };
}

function defaultService(service: Service): void {
  (service as ApiObject)["spec"] ??= {};
  const { spec } = service;
  spec.sessionAffinity ||= "None";
  spec.type ||= "ClusterIP";
  if (spec.sessionAffinity === "ClientIP") {
    spec.sessionAffinityConfig ??= { clientIP: { timeoutSeconds: 10_800 } };
  }
  for (const port of spec.ports ?? []) {
    port.protocol ||= "TCP";
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === "")
      port.targetPort = port.port ?? 0;
  }
  if (spec.type !== "ExternalName") spec.internalTrafficPolicy ??= "Cluster";
  if (spec.type === "NodePort" || spec.type === "LoadBalancer") spec.externalTrafficPolicy ??= "Cluster";
  if (spec.type === "LoadBalancer") spec.allocateLoadBalancerNodePorts ??= true;
  service.status ??= {};
  service.status.loadBalancer ??= {};
}

/** An update that leaves allocated values out keeps them: `kubectl replace` of the original file works. */
function keepAllocations({ spec }: Service, old: Service): void {
  if (!spec || (spec.type ?? "ClusterIP") === "ExternalName") return;
  if (old.spec.type !== "ExternalName") {
    if (!spec.clusterIP && !spec.clusterIPs?.length) {
      if (old.spec.clusterIP) spec.clusterIP = old.spec.clusterIP;
      if (old.spec.clusterIPs) spec.clusterIPs = [...old.spec.clusterIPs];
    }
    if (old.spec.ipFamilies) spec.ipFamilies ??= [...old.spec.ipFamilies];
    if (old.spec.ipFamilyPolicy) spec.ipFamilyPolicy ??= old.spec.ipFamilyPolicy;
  }
  if (spec.clusterIP && !sameAddress(spec)) spec.clusterIPs = [spec.clusterIP];
  if (spec.type === "NodePort" || spec.type === "LoadBalancer") {
    for (const port of spec.ports ?? []) {
      const before = old.spec.ports?.find(
        (each) => each.port === port.port && (each.protocol ?? "TCP") === (port.protocol ?? "TCP"),
      );
      if (before?.nodePort) port.nodePort ??= before.nodePort;
    }
  }
}

function sameAddress({ clusterIP, clusterIPs }: Service["spec"]): boolean {
  return clusterIPs?.[0] === clusterIP;
}

const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

function validateService({ spec }: Service): FieldError[] {
  const errors: FieldError[] = [];
  const { type = "", ports = [], clusterIP } = spec;
  const names = new Set<string>();
  if (ports.length === 0 && clusterIP !== "None" && type !== "ExternalName")
    errors.push(required("spec.ports"));
  for (const [index, { name = "", port = 0, targetPort }] of ports.entries()) {
    const field = `spec.ports[${index}]`;
    if (ports.length > 1 && name === "") errors.push(required(`${field}.name`));
    else if (names.has(name)) errors.push(duplicate(`${field}.name`, name));
    names.add(name);
    const range = "must be between 1 and 65535, inclusive";
    if (port < 1 || port > 65_535) errors.push(invalid(`${field}.port`, port, range));
    if (typeof targetPort === "number" && (targetPort < 1 || targetPort > 65_535)) {
      errors.push(invalid(`${field}.targetPort`, targetPort, range));
    }
  }
  if (!types.includes(type)) errors.push(notSupported("spec.type", type, types));
  if (type === "ExternalName" && !spec.externalName) errors.push(required("spec.externalName"));
  return errors;
}

function validateAddressChange({ spec }: Service, old: Service): FieldError[] {
  const before = old.spec.clusterIP;
  if (!before || spec.type === "ExternalName" || old.spec.type === "ExternalName") return [];
  if (spec.clusterIP === before) return [];
  return [invalid("spec.clusterIPs[0]", spec.clusterIPs ?? [spec.clusterIP], "may not change once set")];
}

function validateStatus({ spec, status }: Service): FieldError[] {
  if (!status?.loadBalancer?.ingress?.length || spec.type === "LoadBalancer") return [];
  const detail = "may only be used when `spec.type` is 'LoadBalancer'";
  return [forbidden("status.loadBalancer.ingress", detail)];
}

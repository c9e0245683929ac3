import type { IngressLoadBalancerIngress, IngressRule } from "@tsbuilder/apimachinery/k8s/networking/v1";
import type { Sent } from "../../../contract/sent.ts";
import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { readField, text } from "../../cells/read-field.ts";
import {
  classAnnotation,
  classConflict,
  type Ingress,
  ingressProblems,
  ingressStatusProblems,
} from "./rules.ts";

const ingressStrategy: Partial<Strategy> = {
  statusWritesMetadata: true,
  default(object) {
    object["status"] = { loadBalancer: {}, ...(object["status"] as object) };
  },
  validate: (object) => [...ingressProblems(object), ...classConflict(object)],
  validateUpdate: (object, old, { subresource }) => [
    ...(subresource === "status" ? ingressStatusProblems(object, old) : ingressProblems(object)),
  ],
  *warnings(object, old) {
    const { metadata, spec } = object as Ingress;
    if (
      old ||
      metadata.annotations?.[classAnnotation] === undefined ||
      spec?.ingressClassName !== undefined
    ) {
      return;
    }
    yield `annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`;
  },
};

function hosts(object: object): string {
  const rules = readField<Sent<IngressRule>[]>(object, "spec.rules") ?? [];
  const named = rules.flatMap(({ host }) => (host ? [host] : []));
  if (named.length === 0) return "*";
  return named.length > 3 ? `${named.slice(0, 3).join(",")} + ${named.length - 3} more...` : named.join(",");
}

function addresses(object: object): string {
  const list = readField<Sent<IngressLoadBalancerIngress>[]>(object, "status.loadBalancer.ingress") ?? [];
  return list.map(({ ip, hostname }) => ip ?? hostname ?? "").join(",");
}

function ingressPorts(object: object): string {
  return readField(object, "spec.tls") === undefined ? "80" : "80, 443";
}

export const ingress: BuiltInKind = {
  resource: "ingresses.networking.k8s.io",
  metadataChecks: "new/update+new/update",
  strategy: ingressStrategy,
  cells: {
    Class: text("spec.ingressClassName", "<none>"),
    Hosts: hosts,
    Address: addresses,
    Ports: ingressPorts,
  },
  emptyObject: { spec: {}, status: { loadBalancer: {} } },
};

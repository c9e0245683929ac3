import type { ApiObject } from "../../../contract/api-object.ts";
import type { NetworkPolicyPeer, NetworkPolicySpec } from "@tsbuilder/apimachinery/k8s/networking/v1";
import type { Sent } from "../../../contract/sent.ts";
import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { formatSelector } from "../../cells/format-selector.ts";
import { readField } from "../../cells/read-field.ts";
import { selectorProblems } from "../../checks/label-selector.ts";
import type { Problems } from "../../checks/problems.ts";
import { type Fields, eachOf, fillIn } from "../../fill-in.ts";

type NetworkPolicy = ApiObject & { spec?: Sent<NetworkPolicySpec> };

const networkPolicyStrategy: Partial<Strategy> = {
  default(object) {
    const spec = object["spec"] as Fields | undefined;
    if (!spec) return;
    fillIn(spec, () => ({
      podSelector: {},
      // Every policy applies to ingress; to egress only if it has egress rules.
      policyTypes: ["Ingress", ...(spec["egress"] === undefined ? [] : ["Egress"])],
    }));
    for (const rule of [...eachOf(spec, "ingress"), ...eachOf(spec, "egress")]) {
      for (const port of eachOf(rule, "ports")) port["protocol"] ??= "TCP";
    }
  },
  validate: (object) => [...policySelectors(object)],
  validateUpdate: (object) => [...policySelectors(object)],
};

function* policySelectors({ spec = {} }: NetworkPolicy): Problems {
  yield* selectorProblems("spec.podSelector", spec.podSelector);
  for (const [index, { from }] of (spec.ingress ?? []).entries()) {
    yield* peerSelectors(`spec.ingress[${index}].from`, from);
  }
  for (const [index, { to }] of (spec.egress ?? []).entries()) {
    yield* peerSelectors(`spec.egress[${index}].to`, to);
  }
}

function* peerSelectors(field: string, peers: readonly Sent<NetworkPolicyPeer>[] = []): Problems {
  for (const [index, { podSelector, namespaceSelector }] of peers.entries()) {
    yield* selectorProblems(`${field}[${index}].podSelector`, podSelector);
    yield* selectorProblems(`${field}[${index}].namespaceSelector`, namespaceSelector);
  }
}

export const networkPolicy: BuiltInKind = {
  resource: "networkpolicies.networking.k8s.io",
  strategy: networkPolicyStrategy,
  cells: { "Pod-Selector": (object) => formatSelector(readField(object, "spec.podSelector")) },
  emptyObject: { spec: { podSelector: {} } },
};

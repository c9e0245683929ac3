import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { formatSelector } from "../../cells/format-selector.ts";
import { readField } from "../../cells/read-field.ts";
import { type Fields, eachOf } from "../../fill-in.ts";
import { policyProblems, policyWarnings } from "./rules.ts";

const networkPolicyStrategy: Partial<Strategy> = {
  default(object) {
    const spec = object["spec"] as Fields | undefined;
    if (!spec) return;
    spec["podSelector"] ??= {};
    // Every policy applies to ingress; to egress only if it has egress rules.
    if (!(spec["policyTypes"] as string[] | undefined)?.length) {
      spec["policyTypes"] = ["Ingress", ...(eachOf(spec, "egress").length === 0 ? [] : ["Egress"])];
    }
    for (const rule of [...eachOf(spec, "ingress"), ...eachOf(spec, "egress")]) {
      for (const port of eachOf(rule, "ports")) port["protocol"] ??= "TCP";
    }
  },
  validate: (object) => [...policyProblems(object)],
  validateUpdate: (object, old) => [...policyProblems(object, old)],
  warnings: (object) => policyWarnings(object),
};

export const networkPolicy: BuiltInKind = {
  resource: "networkpolicies.networking.k8s.io",
  strategy: networkPolicyStrategy,
  cells: { "Pod-Selector": (object) => formatSelector(readField(object, "spec.podSelector")) },
  emptyObject: { spec: { podSelector: {} } },
};

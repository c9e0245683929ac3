import type { Strategy } from "../../resource.ts";
import { eachOf, type Fields, fillIn } from "./fill-in.ts";

export const networkPolicyStrategy: Partial<Strategy> = {
  default(object) {
    const spec = object["spec"] as Fields | undefined;
    if (!spec) return;
    fillIn(spec, () => ({
      podSelector: {},
      // Every policy is about what comes in; about what goes out only if it says so.
      policyTypes: ["Ingress", ...(spec["egress"] === undefined ? [] : ["Egress"])],
    }));
    for (const rule of [...eachOf(spec, "ingress"), ...eachOf(spec, "egress")]) {
      for (const port of eachOf(rule, "ports")) port["protocol"] ??= "TCP";
    }
  },
};

export const ingressClassStrategy: Partial<Strategy> = {
  default: (object) =>
    fillIn((object["spec"] as Fields | undefined)?.["parameters"], () => ({ scope: "Cluster" })),
};

export const endpointSliceStrategy: Partial<Strategy> = {
  default(object) {
    for (const endpoint of eachOf(object, "endpoints")) endpoint["conditions"] ??= {};
    for (const port of eachOf(object, "ports")) fillIn(port, () => ({ name: "", protocol: "TCP" }));
  },
};

export const endpointsStrategy: Partial<Strategy> = {
  default(object) {
    for (const subset of eachOf(object, "subsets")) {
      for (const port of eachOf(subset, "ports")) port["protocol"] ??= "TCP";
    }
  },
};

export const apiServiceStrategy: Partial<Strategy> = {
  default(object) {
    fillIn((object["spec"] as Fields | undefined)?.["service"], () => ({ port: 443 }));
    object["status"] ??= {};
  },
};

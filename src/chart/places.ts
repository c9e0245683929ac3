import type { ManifestObject } from "../ship/manifest.ts";

/** Where an object stands in the chart, and the switches that it depends on. */
export interface Place {
  readonly folder: string;
  readonly switches: readonly string[];
}

/** Finds the place of an object by its kind, and its name without the project's. */
export function placeOf({ kind }: ManifestObject, name: string): Place {
  const rule = rules.find((each) => each.kind.test(kind) && each.name.test(name));
  return { folder: rule?.folder ?? "extras", switches: rule?.switches ?? [] };
}

interface Rule extends Place {
  readonly kind: RegExp;
  readonly name: RegExp;
}

const ROLE = /^(?:Cluster)?Role(?:Binding)?$/u;
const ANY = /^/u;

/** The first one that fits; names are those below `templates/kustomize`. */
const rules: readonly Rule[] = [
  { kind: /^CustomResourceDefinition$/u, name: ANY, folder: "crd", switches: ["crd.enabled"] },
  { kind: /^Deployment$/u, name: /^controller-manager$/u, folder: "manager", switches: [] },
  {
    kind: /^ServiceAccount$/u,
    name: /^controller-manager$/u,
    folder: "rbac",
    switches: ["serviceAccount.enabled"],
  },
  {
    kind: ROLE,
    name: /^metrics-(?:auth|reader)/u,
    folder: "metrics",
    switches: ["metrics.enabled", "metrics.secure"],
  },
  {
    kind: ROLE,
    name: /-(?:admin|editor|viewer)-role$/u,
    folder: "rbac",
    switches: ["rbac.helpers.enabled"],
  },
  { kind: ROLE, name: /^webhook-/u, folder: "webhook", switches: ["webhook.enabled"] },
  { kind: ROLE, name: ANY, folder: "rbac", switches: [] },
  { kind: /^Service$/u, name: /metrics-service$/u, folder: "metrics", switches: ["metrics.enabled"] },
  { kind: /^Service$/u, name: /^webhook-service$/u, folder: "webhook", switches: ["webhook.enabled"] },
  { kind: /WebhookConfiguration$/u, name: ANY, folder: "webhook", switches: ["webhook.enabled"] },
  {
    kind: /^Certificate$/u,
    name: /^metrics-/u,
    folder: "cert-manager",
    switches: ["certManager.enabled", "metrics.enabled"],
  },
  {
    kind: /^Certificate$/u,
    name: /^serving-cert$/u,
    folder: "cert-manager",
    switches: ["certManager.enabled", "webhook.enabled"],
  },
  { kind: /^Issuer$/u, name: ANY, folder: "cert-manager", switches: ["certManager.enabled"] },
  {
    kind: /^ServiceMonitor$/u,
    name: ANY,
    folder: "prometheus",
    switches: ["prometheus.enabled", "metrics.enabled"],
  },
  {
    kind: /^NetworkPolicy$/u,
    name: /metrics/u,
    folder: "network-policy",
    switches: ["networkPolicy.enabled", "metrics.enabled"],
  },
  {
    kind: /^NetworkPolicy$/u,
    name: /webhook/u,
    folder: "network-policy",
    switches: ["networkPolicy.enabled", "webhook.enabled"],
  },
];

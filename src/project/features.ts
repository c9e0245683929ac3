/** The features of a deployment, with their requirements and conflicts. */
export const features = {
  metrics: { summary: "serve metrics on port 8443, with authentication and authorization" },
  webhook: { summary: "serve the admission and conversion webhooks" },
  "cert-manager": {
    summary: "use certificates from cert-manager",
    excludes: ["self-signed"],
  },
  "self-signed": {
    summary: "let the operator create and rotate the webhooks' certificate itself",
    needs: ["webhook"],
    excludes: ["cert-manager"],
  },
  prometheus: { summary: "add a ServiceMonitor for the Prometheus operator", needs: ["metrics"] },
  alerts: { summary: "add a PrometheusRule with alerts and what to do about them", needs: ["prometheus"] },
  "metrics-tls": {
    summary: "serve metrics with a certificate from cert-manager",
    needs: ["metrics", "cert-manager"],
  },
  "network-policy": { summary: "allow only the traffic that metrics and webhooks need" },
  restricted: {
    summary: "admit only pods of the restricted Pod Security Standard in the operator's namespace",
  },
  sharding: { summary: "run three replicas that share the objects, instead of one that leads" },
} as const satisfies Record<string, FeatureDefinition>;

export type FeatureName = keyof typeof features;

export const featureNames = Object.keys(features) as FeatureName[];

interface FeatureDefinition {
  readonly summary: string;
  readonly needs?: readonly string[];
  readonly excludes?: readonly string[];
}

/** What can be switched on and off in the deployment, with what it needs and what it can't stand beside. */
export const features = {
  metrics: { summary: "serve metrics on port 8443, for who is allowed to read them" },
  webhook: { summary: "serve the admission and conversion webhooks" },
  "cert-manager": {
    summary: "let cert-manager issue the certificates",
    excludes: ["self-signed"],
  },
  "self-signed": {
    summary: "let the operator make and rotate the webhooks' certificate itself",
    needs: ["webhook"],
    excludes: ["cert-manager"],
  },
  prometheus: { summary: "tell the Prometheus operator to scrape the metrics", needs: ["metrics"] },
  "metrics-tls": {
    summary: "serve metrics with a certificate of cert-manager's",
    needs: ["metrics", "cert-manager"],
  },
  "network-policy": { summary: "let in only the traffic that metrics and webhooks need" },
} as const satisfies Record<string, FeatureDefinition>;

export type FeatureName = keyof typeof features;

export const featureNames = Object.keys(features) as FeatureName[];

interface FeatureDefinition {
  readonly summary: string;
  readonly needs?: readonly string[];
  readonly excludes?: readonly string[];
}

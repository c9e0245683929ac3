import { defineKind, type KubernetesObject } from "@tsbuilder/apimachinery/meta";

/** How the API server reaches a webhook. */
export interface WebhookClientConfig {
  /** PEM in base64. */
  caBundle?: string;
  service?: { name: string; namespace: string; path?: string; port?: number };
  url?: string;
}

/** The part of both configuration kinds that contains the CA. */
export interface WebhookConfiguration extends KubernetesObject {
  webhooks?: { name: string; clientConfig: WebhookClientConfig }[];
}

/** The part of a CRD that contains the CA. */
export interface ConvertedResource extends KubernetesObject {
  spec: { conversion?: { strategy: string; webhook?: { clientConfig?: WebhookClientConfig } } };
}

export interface CertificateSecret extends KubernetesObject {
  type?: string;
  data?: { [name: string]: string };
}

const admission = { group: "admissionregistration.k8s.io", version: "v1" };

export const MutatingWebhookConfiguration = defineKind<WebhookConfiguration>(admission, {
  kind: "MutatingWebhookConfiguration",
  plural: "mutatingwebhookconfigurations",
  scope: "Cluster",
});
export const ValidatingWebhookConfiguration = defineKind<WebhookConfiguration>(admission, {
  kind: "ValidatingWebhookConfiguration",
  plural: "validatingwebhookconfigurations",
  scope: "Cluster",
});
export const ConvertedResource = defineKind<ConvertedResource>(
  { group: "apiextensions.k8s.io", version: "v1" },
  { kind: "CustomResourceDefinition", plural: "customresourcedefinitions", scope: "Cluster" },
);
export const CertificateSecret = defineKind<CertificateSecret>(
  { group: "", version: "v1" },
  { kind: "Secret", plural: "secrets" },
);

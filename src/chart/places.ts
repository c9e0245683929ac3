import type { ManifestObject } from "../ship/manifest.ts";

/** The place of an object in the chart, and the switches it depends on. */
export interface Place {
  readonly folder: string;
  readonly switches: readonly string[];
}

/** Finds the place of an object by its kind, and its name without the project's prefix. */
export function placeOf({ kind }: ManifestObject, name: string): Place {
  const places = roleKinds.has(kind) ? rolePlaces : placesByKind[kind];
  if (places === rolePlaces && helperRoles.some((suffix) => name.endsWith(suffix))) return helperRole;
  return places?.[name] ?? places?.[others] ?? place("extras");
}

const place = (folder: string, ...switches: string[]): Place => ({ folder, switches });

/** Objects of a kind by their names in `templates/kustomize`; `others` are those of any other name. */
type PlacesByName = Readonly<Record<string, Place>>;
const others = "*";

const roleKinds = new Set(["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"]);
const helperRoles = ["-admin-role", "-editor-role", "-viewer-role"];
const helperRole = place("rbac", "rbac.helpers.enabled");
const metricsRole = place("metrics", "metrics.enabled", "metrics.secure");
const webhook = place("webhook", "webhook.enabled");
/** They ask for the job that the ServiceMonitor names. */
const alerts = (...more: string[]): Place =>
  place("prometheus", "alerts.enabled", "prometheus.enabled", "metrics.enabled", ...more);

const rolePlaces: PlacesByName = {
  "metrics-auth-role": metricsRole,
  "metrics-auth-rolebinding": metricsRole,
  "metrics-reader": metricsRole,
  "webhook-ca-role": webhook,
  "webhook-ca-rolebinding": webhook,
  "webhook-certs-role": webhook,
  "webhook-certs-rolebinding": webhook,
  [others]: place("rbac"),
};

const placesByKind: Readonly<Record<string, PlacesByName>> = {
  CustomResourceDefinition: { [others]: place("crd", "crd.enabled") },
  Deployment: { "controller-manager": place("manager") },
  ServiceAccount: { "controller-manager": place("rbac", "serviceAccount.enabled") },
  Service: {
    "controller-manager-metrics-service": place("metrics", "metrics.enabled"),
    "webhook-service": webhook,
  },
  MutatingWebhookConfiguration: { [others]: webhook },
  ValidatingWebhookConfiguration: { [others]: webhook },
  Certificate: {
    "metrics-certs": place("cert-manager", "certManager.enabled", "metrics.enabled"),
    "serving-cert": place("cert-manager", "certManager.enabled", "webhook.enabled"),
    [others]: place("cert-manager", "certManager.enabled"),
  },
  Issuer: { [others]: place("cert-manager", "certManager.enabled") },
  ServiceMonitor: { [others]: place("prometheus", "prometheus.enabled", "metrics.enabled") },
  PrometheusRule: {
    "controller-manager-alerts": alerts(),
    "shard-alerts": alerts(),
    "webhook-alerts": alerts("webhook.enabled"),
  },
  NetworkPolicy: {
    "allow-metrics-traffic": place("network-policy", "networkPolicy.enabled", "metrics.enabled"),
    "allow-webhook-traffic": place("network-policy", "networkPolicy.enabled", "webhook.enabled"),
  },
};

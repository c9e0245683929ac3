import type { ManifestObject } from "../ship/manifest.ts";
import { action, keysWhen, lines } from "./actions.ts";

const scheme = action("if .Values.metrics.secure }}https{{ else }}http{{ end");
const metricsPort = action(".Values.metrics.port");

/** The Services for metrics and webhooks, with the ports from the values. */
export function serviceTemplate(service: ManifestObject, folder: string): ManifestObject {
  const { spec } = service as ManifestObject & { readonly spec: { readonly ports?: readonly object[] } };
  const ours: Readonly<Record<string, object>> = {
    metrics: { name: scheme, port: metricsPort, targetPort: metricsPort },
    webhook: { targetPort: action(".Values.webhook.port") },
  };
  return { ...service, spec: { ...spec, ports: spec.ports?.map((port) => ({ ...port, ...ours[folder] })) } };
}

/** The ServiceMonitor's endpoint depends on how metrics are served, and on the certificate. */
export function monitorTemplate(monitor: ManifestObject): ManifestObject {
  const { spec } = monitor as ManifestObject & {
    readonly spec: { readonly endpoints?: readonly { readonly tlsConfig?: object }[] };
  };
  const endpoints = spec.endpoints?.map(({ tlsConfig, ...endpoint }) => ({
    ...endpoint,
    port: scheme,
    scheme: scheme,
    ...(tlsConfig === undefined ? {} : keysWhen(".Values.metrics.secure", { tlsConfig: trusted(tlsConfig) })),
  }));
  return { ...monitor, spec: { ...spec, endpoints } };
}

/** The CA of the certificate from cert-manager; without cert-manager there is none to verify. */
function trusted(tlsConfig: object): object {
  if (!Object.hasOwn(tlsConfig, "ca")) return tlsConfig;
  return {
    ...keysWhen(".Values.certManager.enabled", { ...tlsConfig }),
    [lines("{{- if not .Values.certManager.enabled }}\ninsecureSkipVerify: true\n{{- end }}")]: null,
  };
}

/** Traffic is allowed to the ports from the values. */
export function policyTemplate(policy: ManifestObject, port: "metrics" | "webhook"): ManifestObject {
  const { spec } = policy as ManifestObject & {
    readonly spec: { readonly ingress?: readonly { readonly ports?: readonly object[] }[] };
  };
  const value = action(`.Values.${port}.port`);
  const ingress = spec.ingress?.map((rule) => ({
    ...rule,
    ports: rule.ports?.map((each) => ({ ...each, port: value })),
  }));
  return { ...policy, spec: { ...spec, ingress } };
}

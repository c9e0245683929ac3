import type { ManifestObject } from "../ship/manifest.ts";
import { keysWhen, lines } from "./actions.ts";

/** Conversion and its CA depend on the webhooks. */
export function definitionTemplate(definition: ManifestObject): ManifestObject {
  const { metadata, spec } = definition as ManifestObject & {
    readonly spec: { readonly conversion?: unknown };
  };
  const { annotations = {}, ...rest } = metadata as typeof metadata & { annotations?: object };
  const { conversion, ...others } = spec;
  const keep = keysWhen(".Values.crd.keep", { "helm.sh/resource-policy": "keep" });
  return {
    ...definition,
    metadata: { ...rest, annotations: { ...injected(annotations), ...keep } },
    spec: {
      ...(conversion === undefined ? {} : keysWhen(".Values.webhook.enabled", { conversion })),
      ...others,
    },
  };
}

const inject = "cert-manager.io/inject-ca-from";

/** cert-manager only injects its CA if it issues the certificate. */
export function injected(annotations: object): Record<string, unknown> {
  const { [inject]: from, ...others } = annotations as Record<string, unknown>;
  if (from === undefined) return others;
  return {
    ...others,
    ...keysWhen("and .Values.certManager.enabled .Values.webhook.enabled", { [inject]: from }),
  };
}

/** Without cert-manager, the user provides the certificate, and its CA here. */
export function webhookTemplate(configuration: ManifestObject): ManifestObject {
  const { metadata, webhooks } = configuration as ManifestObject & {
    readonly webhooks?: readonly { readonly clientConfig: object }[];
  };
  const { annotations = {}, ...rest } = metadata as typeof metadata & { annotations?: object };
  const trusts = lines("{{- with .Values.webhook.caBundle }}\ncaBundle: {{ . }}\n{{- end }}");
  return {
    ...configuration,
    metadata: { ...rest, annotations: injected(annotations) },
    webhooks: webhooks?.map((webhook) => ({
      ...webhook,
      clientConfig: { ...webhook.clientConfig, [trusts]: null },
    })),
  };
}

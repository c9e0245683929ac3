import type { ManifestObject } from "../../ship/manifest.ts";

/** The address of the operator's webhooks on this machine. */
export interface LocalWebhooks {
  /** `https://HOST:PORT`, without a trailing slash. */
  readonly url: string;
  readonly caBundle: string;
}

/** The namespace and name prefix that replace the project's own in a cluster. */
export interface ObjectPlace {
  readonly namespace: string;
  /** Prefix of all names. Default: none. */
  readonly prefix?: string | undefined;
}

interface Reference {
  readonly kind: string;
  readonly name: string;
}

/**
 * Adapts the project's RBAC to a cluster: everything namespaced goes to one namespace, names get a prefix, and bindings
 * follow both. kustomize could do the same, but `dev` requires nothing but Node.
 */
export function placeRbac(
  objects: readonly ManifestObject[],
  { namespace, prefix = "" }: ObjectPlace,
): ManifestObject[] {
  const own = new Set(objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`));
  const rename = <R extends Reference>(reference: R): R =>
    own.has(`${reference.kind}/${reference.name}`)
      ? { ...reference, name: `${prefix}${reference.name}` }
      : reference;
  return objects.map((object) => {
    const { subjects, roleRef } = object as { subjects?: Reference[]; roleRef?: Reference };
    const metadata = { ...object.metadata, name: `${prefix}${object.metadata.name}` };
    return {
      ...object,
      metadata: namespaced.has(object.kind) ? { ...metadata, namespace } : metadata,
      ...(roleRef && { roleRef: rename(roleRef) }),
      ...(subjects && {
        subjects: subjects.map((subject) =>
          subject.kind === "ServiceAccount" ? { ...rename(subject), namespace } : subject,
        ),
      }),
    };
  });
}

const namespaced = new Set(["ServiceAccount", "Role", "RoleBinding"]);

interface ClientConfig {
  readonly service?: { readonly path?: string };
}

/** Points webhook configurations at the process on this machine, by URL instead of by Service. */
export function localWebhooks(
  objects: readonly ManifestObject[],
  local: LocalWebhooks,
  prefix = "",
): ManifestObject[] {
  return objects.map((object) => ({
    ...object,
    metadata: { ...object.metadata, name: `${prefix}${object.metadata.name}` },
    webhooks: ((object["webhooks"] ?? []) as { clientConfig: ClientConfig }[]).map((webhook) => ({
      ...webhook,
      clientConfig: localClientConfig(webhook.clientConfig, local),
    })),
  }));
}

/** Makes a CRD with several versions convert through the process on this machine. */
export function localConversion(crd: ManifestObject, local: LocalWebhooks): ManifestObject {
  const spec = crd["spec"] as { conversion?: { strategy?: string } };
  return {
    ...crd,
    spec: {
      ...spec,
      conversion: {
        strategy: "Webhook",
        webhook: {
          conversionReviewVersions: ["v1"],
          clientConfig: { url: `${local.url}/convert`, caBundle: local.caBundle },
        },
      },
    },
  };
}

function localClientConfig({ service }: ClientConfig, { url, caBundle }: LocalWebhooks): object {
  return { url: `${url}${service?.path ?? ""}`, caBundle };
}

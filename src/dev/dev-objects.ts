/** An object of the project's `config/` as it is read from its file. */
export interface ConfigObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

/** Where the operator's webhooks answer on this machine. */
export interface LocalWebhooks {
  /** `https://127.0.0.1:PORT`, without a slash at the end. */
  readonly url: string;
  readonly caBundle: string;
}

/**
 * Makes the project's permissions fit a cluster of one developer: everything namespaced goes to one namespace, and
 * so do the subjects of bindings. kustomize would do the same, but `dev` asks for no program besides Node.
 */
export function placeRbac(objects: readonly ConfigObject[], namespace: string): ConfigObject[] {
  return objects.map((object) => ({
    ...object,
    metadata: NAMESPACED.has(object.kind) ? { ...object.metadata, namespace } : object.metadata,
    ...(Array.isArray(object["subjects"])
      ? {
          subjects: (object["subjects"] as { kind: string }[]).map((subject) =>
            subject.kind === "ServiceAccount" ? { ...subject, namespace } : subject,
          ),
        }
      : {}),
  }));
}

const NAMESPACED = new Set(["ServiceAccount", "Role", "RoleBinding"]);

interface ClientConfig {
  readonly service?: { readonly path?: string };
}

/** Points webhook configurations at the process on this machine, by address instead of by Service. */
export function localWebhooks(objects: readonly ConfigObject[], local: LocalWebhooks): ConfigObject[] {
  return objects.map((object) => ({
    ...object,
    webhooks: ((object["webhooks"] ?? []) as { clientConfig: ClientConfig }[]).map((webhook) => ({
      ...webhook,
      clientConfig: localClientConfig(webhook.clientConfig, local),
    })),
  }));
}

/** Makes a definition with several versions convert through the process on this machine. */
export function localConversion(definition: ConfigObject, local: LocalWebhooks): ConfigObject {
  const spec = definition["spec"] as { conversion?: { strategy?: string } };
  return {
    ...definition,
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

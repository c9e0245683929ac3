import { splitBundle } from "@tsbuilder/apimachinery/certs";
import type { Kind } from "@tsbuilder/apimachinery/meta";
import type { Client } from "../client/client.ts";
import {
  ConvertedResource,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
  type WebhookClientConfig,
} from "./webhook-kinds.ts";

/** The Service in front of the webhooks. */
export interface WebhookService {
  readonly name: string;
  readonly namespace: string;
}

/** Reads from webhook configurations, and from the CRDs of converted kinds, which CA the API server was told to trust. */
export async function findAuthority(
  client: Client,
  service: WebhookService,
  converted: Iterable<Kind>,
): Promise<string | undefined> {
  const configs: (WebhookClientConfig | undefined)[] = [];
  for (const kind of [MutatingWebhookConfiguration, ValidatingWebhookConfiguration])
    for (const { webhooks = [] } of await client.list(kind, { live: true }))
      configs.push(...webhooks.map(({ clientConfig }) => clientConfig));
  for (const kind of converted) {
    const crd = await client.find(ConvertedResource, { name: crdName(kind) }, { live: true });
    configs.push(crd?.spec.conversion?.webhook?.clientConfig);
  }
  // Some begin with a placeholder, and somebody may have edited others.
  return configs
    .filter((config) => pointsTo(service, config))
    .map((config) => Buffer.from(config?.caBundle ?? "", "base64").toString("utf8"))
    .find((text) => splitBundle(text).length > 0);
}

/**
 * Writes the CA to every webhook configuration that names the Service, and to the CRDs of converted kinds, unless it is
 * already there. Returns what was changed.
 */
export async function injectAuthority(
  client: Client,
  service: WebhookService,
  converted: Iterable<Kind>,
  pem: string,
): Promise<string[]> {
  const caBundle = Buffer.from(pem).toString("base64");
  const changed: string[] = [];
  const isStale = (config: WebhookClientConfig | undefined) =>
    pointsTo(service, config) && config?.caBundle !== caBundle;

  for (const kind of [MutatingWebhookConfiguration, ValidatingWebhookConfiguration]) {
    for (const configuration of await client.list(kind, { live: true })) {
      if (!configuration.webhooks?.some(({ clientConfig }) => isStale(clientConfig))) continue;
      await client.patch(kind, configuration, ({ webhooks = [] }) => {
        for (const { clientConfig } of webhooks) if (isStale(clientConfig)) clientConfig.caBundle = caBundle;
      });
      changed.push(`${kind.kind} ${configuration.metadata.name}`);
    }
  }
  for (const kind of converted) {
    const name = crdName(kind);
    const crd = await client.find(ConvertedResource, { name }, { live: true });
    if (!crd || !isStale(crd.spec.conversion?.webhook?.clientConfig)) continue;
    await client.patch(ConvertedResource, crd, ({ spec }) => {
      spec.conversion!.webhook!.clientConfig!.caBundle = caBundle;
    });
    changed.push(`CustomResourceDefinition ${name}`);
  }
  return changed;
}

function pointsTo(service: WebhookService, config: WebhookClientConfig | undefined): boolean {
  return config?.service?.name === service.name && config.service.namespace === service.namespace;
}

function crdName({ plural, group }: Kind): string {
  return `${plural}.${group}`;
}

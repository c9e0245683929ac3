/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { kubectl, project } from "./cluster.ts";

/** The operator's webhooks without a CA bundle, so that the API server cannot verify their certificate. */
export function untrustedWebhooks(): string[] {
  const { items } = JSON.parse(
    kubectl("get mutatingwebhookconfigurations,validatingwebhookconfigurations --output json"),
  ) as { items: Configuration[] };
  return items
    .filter(({ metadata }) => metadata.name.startsWith(`${project}-`))
    .flatMap(({ webhooks }) => webhooks)
    .filter(({ clientConfig }) => !clientConfig.caBundle)
    .map(({ name }) => name);
}

interface Configuration {
  readonly metadata: { readonly name: string };
  readonly webhooks: readonly Webhook[];
}

interface Webhook {
  readonly name: string;
  readonly clientConfig: { readonly caBundle?: string };
}

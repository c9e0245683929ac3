import type { Kind } from "@tsbuilder/apimachinery/meta";
import type { Client } from "../client/client.ts";
import type { ClusterConfig } from "../http/config.ts";
import { podNamespace } from "../config/in-cluster-config.ts";
import { TerminalError } from "../errors/terminal-error.ts";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Logger } from "../log/logger.ts";
import type { SelfManagedCertificateOptions } from "./webhook-server-options.ts";
import { ManagedCertificate } from "./managed-certificate.ts";

/** Creates the certificate source for the given options. */
export function makeManagedCertificate(
  { service: name, namespace, secret, days = 90 }: SelfManagedCertificateOptions,
  config: () => Promise<ClusterConfig>,
  parts: {
    readonly client: Client;
    readonly clock: Clock;
    readonly log: Logger;
    readonly converted: () => Iterable<Kind>;
  },
): ManagedCertificate {
  return new ManagedCertificate({
    ...parts,
    days,
    secretName: (service) => secret ?? `${service.name}-cert`,
    service: async () => {
      const found = namespace ?? podNamespace() ?? (await config()).namespace;
      if (found) return { name, namespace: found };
      throw new TerminalError(
        "webhooks: the namespace of the Service is not known; set webhooks.selfManaged.namespace",
      );
    },
  });
}

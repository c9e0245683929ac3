import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import type {
  ServiceReference,
  WebhookClientConfig,
} from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";
import type { ServiceResolver } from "../../admission/webhooks/webhook-client.ts";
import type { ApiObject } from "../../contract/api-object.ts";

/**
 * Lets a real API server reach webhooks in the test's own process. For a Service of type ExternalName the server needs no
 * cluster network: it connects to the external name, here this machine, at the port in the reference, here that of a
 * relay, and still verifies the certificate for the Service's name. The relay looks up the process for each connection,
 * because it often starts after its configuration is installed.
 */
export class ServiceRelays {
  readonly #resolve: ServiceResolver;
  readonly #put: (object: ApiObject) => Promise<ApiObject>;
  readonly #relays = new Map<string, Promise<Server>>();
  readonly #sockets = new Set<Socket>();

  constructor(resolve: ServiceResolver, put: (object: ApiObject) => Promise<ApiObject>) {
    this.#resolve = resolve;
    this.#put = put;
  }

  /** Installs an object, with its Service references replaced by relays. */
  async put(object: ApiObject): Promise<ApiObject> {
    const { namespace = "default", name = "" } = object.metadata;
    if (object.kind === "Service" && this.#relays.has(`${namespace}/${name}`)) {
      return this.#put(externalService({ namespace, name }));
    }
    return this.#put(await this.#redirected(object));
  }

  async stop(): Promise<void> {
    for (const relay of this.#relays.values()) (await relay).close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #redirected(object: ApiObject): Promise<ApiObject> {
    switch (object.kind) {
      case "MutatingWebhookConfiguration":
      case "ValidatingWebhookConfiguration": {
        const { webhooks = [] } = object as {
          webhooks?: readonly { readonly clientConfig: WebhookClientConfig }[];
        };
        const redirect = async (webhook: { readonly clientConfig: WebhookClientConfig }) => ({
          ...webhook,
          clientConfig: await this.#toRelay(webhook.clientConfig),
        });
        return { ...object, webhooks: await Promise.all(webhooks.map(redirect)) };
      }
      case "CustomResourceDefinition": {
        const { spec } = object as {
          spec?: { conversion?: { webhook?: { clientConfig?: WebhookClientConfig } } };
        };
        const { conversion } = spec ?? {};
        if (!conversion?.webhook?.clientConfig) return object;
        const clientConfig = await this.#toRelay(conversion.webhook.clientConfig);
        const webhook = { ...conversion.webhook, clientConfig };
        return { ...object, spec: { ...spec, conversion: { ...conversion, webhook } } };
      }
      default:
        return object;
    }
  }

  async #toRelay(config: WebhookClientConfig): Promise<WebhookClientConfig> {
    if (!config.service) return config;
    const { port } = (await this.#relayTo(config.service)).address() as AddressInfo;
    return { ...config, service: { ...config.service, port } };
  }

  #relayTo(service: ServiceReference): Promise<Server> {
    const key = `${service.namespace}/${service.name}`;
    const relay = this.#relays.get(key) ?? this.#open(service);
    this.#relays.set(key, relay);
    return relay;
  }

  async #open(service: ServiceReference): Promise<Server> {
    const { namespace, name, port = 443 } = service;
    await this.#put({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    await this.#put(externalService(service));
    const server = createServer((incoming) => {
      const place = this.#resolve(namespace, name, port);
      this.#keep(incoming);
      if (!place) {
        incoming.destroy();
        return;
      }
      const outgoing = connect(place.port, place.host);
      this.#keep(outgoing);
      incoming.once("close", () => outgoing.destroy());
      outgoing.once("close", () => incoming.destroy());
      incoming.pipe(outgoing).pipe(incoming);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    return server;
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    // The peer sees the end of its connection.
    socket.on("error", () => undefined);
    socket.once("close", () => this.#sockets.delete(socket));
  }
}

function externalService({ namespace, name }: ServiceReference): ApiObject {
  const spec = { type: "ExternalName", externalName: "localhost" };
  return { apiVersion: "v1", kind: "Service", metadata: { namespace, name }, spec };
}

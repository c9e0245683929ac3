import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import type { ServiceResolver } from "../../admission/webhook-client.ts";
import type { ApiObject } from "../../contract/api-object.ts";

/** A service as a webhook's `clientConfig` names it. */
interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly port?: number;
}

interface ClientConfig {
  readonly service?: ServiceReference;
}

/**
 * Lets a real API server reach services that stand for a process of the test. It finds the host of a service of type
 * ExternalName without any network of a cluster, takes the port from the reference, and checks the certificate for the
 * service's own name all the same. The host is this machine, and the port that of a relay, which asks at each call
 * where the process is: often it starts after its configuration was installed.
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

  /** Installs an object; what it says of services leads to relays. */
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
        const { webhooks = [] } = object as { webhooks?: readonly { readonly clientConfig: ClientConfig }[] };
        const redirect = async (webhook: { readonly clientConfig: ClientConfig }) => ({
          ...webhook,
          clientConfig: await this.#toRelay(webhook.clientConfig),
        });
        return { ...object, webhooks: await Promise.all(webhooks.map(redirect)) };
      }
      case "CustomResourceDefinition": {
        const { spec } = object as { spec?: { conversion?: { webhook?: { clientConfig?: ClientConfig } } } };
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

  async #toRelay(config: ClientConfig): Promise<ClientConfig> {
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
    // The other end learns of it by the end of its own connection.
    socket.on("error", () => undefined);
    socket.once("close", () => this.#sockets.delete(socket));
  }
}

function externalService({ namespace, name }: ServiceReference): ApiObject {
  const spec = { type: "ExternalName", externalName: "localhost" };
  return { apiVersion: "v1", kind: "Service", metadata: { namespace, name }, spec };
}

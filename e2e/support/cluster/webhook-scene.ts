import type { WebhookCall } from "@tsbuilder/cluster";
import { startTestCluster, type TestCluster, type TestClusterOptions } from "@tsbuilder/cluster/testing";
import { afterAll, afterEach, beforeAll } from "vitest";
import { send } from "../../../src/cluster/testing/send.ts";
import { startWebhookServer, type WebhookServer } from "./webhook-server.ts";

export const group = "/apis/admissionregistration.k8s.io/v1";

const rules = [
  { operations: ["CREATE", "UPDATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] },
];

/** A cluster whose webhooks of ConfigMaps one server answers. */
export class WebhookScene {
  hooks!: WebhookServer;
  cluster!: TestCluster;
  /** The calls since the last webhook was configured. */
  calls: WebhookCall[] = [];

  async start(options: TestClusterOptions = {}): Promise<void> {
    this.hooks = await startWebhookServer();
    const { port } = this.hooks;
    this.cluster = await startTestCluster({
      resolveService: (_, name) => (name === "hook" ? { host: "127.0.0.1", port } : undefined),
      onWebhookCall: (call) => this.calls.push(call),
      ...options,
    });
  }

  async stop(): Promise<void> {
    await this.cluster.stop();
    this.hooks.stop();
  }

  async removeWebhooks(): Promise<void> {
    for (const plural of ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"])
      await send(this.cluster.kubeconfig, { method: "DELETE", path: `${group}/${plural}` });
  }

  async configure(kind: "Mutating" | "Validating", name: string, webhook: object): Promise<void> {
    this.hooks.seen = [];
    this.calls = [];
    const defaults = {
      name: `${name}.example.com`,
      clientConfig: { url: `${this.hooks.url}/${name}`, caBundle: this.hooks.caBundle },
      rules,
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
    };
    const { code, body } = await send(this.cluster.kubeconfig, {
      method: "POST",
      path: `${group}/${kind.toLowerCase()}webhookconfigurations`,
      body: { metadata: { name }, webhooks: [{ ...defaults, ...webhook }] },
    });
    if (code !== 201) throw new Error(`the webhook can't be configured: ${JSON.stringify(body)}`);
  }

  create(name: string, query = "", more: object = {}): ReturnType<typeof send> {
    return send(this.cluster.kubeconfig, {
      method: "POST",
      path: `/api/v1/namespaces/default/configmaps${query}`,
      body: { metadata: { name, ...more } },
    });
  }
}

/** Sets up a scene for the tests of a file; no webhook outlives its test. */
export function useWebhooks(): WebhookScene {
  const scene = new WebhookScene();
  beforeAll(() => scene.start());
  afterEach(() => scene.removeWebhooks());
  afterAll(() => scene.stop());
  return scene;
}

/** The response of a webhook that changes the object by a JSON patch. */
export function patchOf(operations: object[]) {
  return {
    allowed: true,
    patchType: "JSONPatch",
    patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
  };
}

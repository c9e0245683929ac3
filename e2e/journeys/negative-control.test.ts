import { join } from "node:path";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import {
  type Client,
  type Manager,
  type ManagerOptions,
  ownerReferenceTo,
  type Reconciler,
  type Request,
} from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { Service } from "@tsbuilder/runtime/k8s/core/v1";
import { startTestManager } from "@tsbuilder/runtime/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AppService } from "../golden/app-operator/api/v1/appservice_types.ts";
import { setupAppServiceController } from "../golden/app-operator/src/controller/appservice_controller.ts";
import { deploymentFor, serviceFor } from "../golden/app-operator/src/controller/appservice_resources.ts";
import { repository } from "../support/source-imports.ts";

// Tests that no reconciler fails prove nothing. This one works as published walk-throughs do: it watches only its own
// kind, writes children when they are missing or when a copy of the spec in an annotation differs, and trusts it.

class WalkThroughReconciler implements Reconciler {
  readonly #client: Client;
  constructor(client: Client) {
    this.#client = client;
  }

  async reconcile(request: Request): Promise<void> {
    const app = await this.#client.find(AppService, request);
    if (!app) return;
    const deployment = await this.#client.find(Deployment, request);
    const owned = { ownerReferences: [ownerReferenceTo(app)], namespace: app.metadata.namespace };
    const desired = { ...deploymentFor(app), metadata: { ...deploymentFor(app).metadata, ...owned } };
    if (!deployment) {
      const service = serviceFor(app, app.spec.ports ?? []);
      await this.#client.create(Deployment, desired);
      await this.#client.create(Service, { ...service, metadata: { ...service.metadata, ...owned } });
      await this.#remember(app);
      return;
    }
    const written: unknown = JSON.parse(app.metadata.annotations?.["spec"] ?? "");
    if (JSON.stringify(written) === JSON.stringify(app.spec)) return;
    await this.#client.update(Deployment, { ...deployment, spec: (desired as Deployment).spec! });
    await this.#remember(app);
  }

  #remember(app: AppService): Promise<AppService> {
    return this.#client.patch(AppService, app, (draft) => {
      draft.metadata.annotations = { ...draft.metadata.annotations, spec: JSON.stringify(app.spec) };
    });
  }
}

function setupWalkThrough(manager: Manager): void {
  manager.controllerFor(AppService).named("walk-through").complete(new WalkThroughReconciler(manager.client));
}

const namespace = "default";

describe.each([
  { whose: "the walk-through's reconciler", setup: setupWalkThrough, holds: false },
  { whose: "the template's reconciler", setup: setupAppServiceController, holds: true },
])("$whose", ({ setup, holds }) => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await startTestCluster({ crds: join(repository, "e2e/golden/app-operator/config/crd/bases") });
  });
  afterAll(() => cluster.stop());

  test(`${holds ? "restores" : "does not restore"} a child that somebody deleted`, async () => {
    expect(
      await play("deleted", async (client, key) => {
        const { metadata } = await client.get(Service, key);
        await client.delete(Service, key);
        return async () => {
          const service = await client.find(Service, key);
          return service !== undefined && service.metadata.uid !== metadata.uid;
        };
      }),
    ).toBe(holds);
  });

  test(`${holds ? "repairs" : "does not repair"} a child that somebody changed`, async () => {
    expect(
      await play("changed", async (client, key) => {
        const image = { spec: { template: { spec: { containers: [{ name: "changed", image: "other" }] } } } };
        await client.patch(Deployment, key, { strategic: image });
        return async () => imageOf(await client.get(Deployment, key)) === "nginx";
      }),
    ).toBe(holds);
  });

  test(`${holds ? "goes on" : "does not go on"} after an end in the middle of its work`, async () => {
    const key = { namespace, name: "interrupted" };
    const { client, stop } = await startTestManager(cluster.kubeconfig);
    const app = await client.create(AppService, appOf(key.name));
    const owned = { ownerReferences: [ownerReferenceTo(app)], namespace };
    await client.create(Deployment, {
      ...deploymentFor(app),
      metadata: { ...deploymentFor(app).metadata, ...owned },
    });
    const manager = await startTestManager({ kubeconfig: cluster.kubeconfig, logger: silent }, setup);
    expect(await becomes(async () => (await client.find(Service, key)) !== undefined)).toBe(holds);
    await manager.stop();
    await stop();
  });

  /** Lets the reconciler make an app's children, disturbs them, and tells whether it mends that. */
  async function play(
    name: string,
    disturb: (client: Client, key: { namespace: string; name: string }) => Promise<() => Promise<boolean>>,
  ): Promise<boolean> {
    const manager = await startTestManager({ kubeconfig: cluster.kubeconfig, logger: silent }, setup);
    const key = { namespace, name };
    await manager.client.create(AppService, appOf(name));
    const made = await becomes(async () => {
      const app = await manager.client.get(AppService, key);
      const done = holds ? app.status !== undefined : app.metadata.annotations?.["spec"] !== undefined;
      return done && (await manager.client.find(Service, key)) !== undefined;
    });
    if (!made) throw new Error("the reconciler made nothing to disturb");
    const mended = await becomes(await disturb(manager.client, key));
    await manager.stop();
    return mended;
  }
});

const silent: NonNullable<ManagerOptions["logger"]> = {
  debug: quiet,
  info: quiet,
  warn: quiet,
  error: quiet,
  with: () => silent,
  isEnabled: () => false,
};
function quiet(): void {}

function appOf(name: string) {
  return { metadata: { name, namespace }, spec: { image: "nginx", replicas: 1, ports: [{ port: 80 }] } };
}

function imageOf({ spec }: Deployment): string | undefined {
  return spec?.template.spec?.containers[0]?.image;
}

/** Long enough for any reconcile here, which takes milliseconds. */
async function becomes(holds: () => Promise<boolean>): Promise<boolean> {
  const deadline = Date.now() + 3000;
  while (Date.now() < deadline) {
    if (await holds()) return true;
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  return false;
}

import { join } from "node:path";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { type Kind, type KubernetesObject, type ManagerOptions } from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { Service } from "@tsbuilder/runtime/k8s/core/v1";
import { moveClock, type Setup, startTestManager, type TestManager } from "@tsbuilder/runtime/testing";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { AppService } from "../../golden/app-operator/api/v1/appservice_types.ts";
import { setupAppServiceController } from "../../golden/app-operator/src/controller/appservice_controller.ts";
import { type ApiGateway, isWrite, startApiGateway } from "../../support/operators/api-gateway.ts";
import { repository } from "../../support/source-imports.ts";
import {
  specAnnotation,
  setupWalkThroughAppService,
} from "../../support/operators/walk-throughs/app-service.ts";

// Tests that no reconciler fails prove nothing. Here the reconciler of a published walk-through faces drift,
// conflicts and restarts beside that of the template: the walk-through's must fail, the template's must not.

const namespace = "default";
const appService = {
  kind: AppService,
  spec: { image: "nginx", replicas: 1, ports: [{ port: 80, targetPort: 80 }] },
};

interface Key {
  readonly namespace: string;
  readonly name: string;
}

const clock = new FakeClock();
let cluster: TestCluster;
let gateway: ApiGateway;
let user: TestManager;

beforeAll(async () => {
  const crds = join(repository, "e2e/golden/app-operator/config/crd/bases");
  cluster = await startTestCluster({
    crds,
    clock,
    tokens: { operator: { name: "operator", groups: ["system:masters"] } },
  });
  gateway = await startApiGateway(cluster.kubeconfig, clock);
  user = await startTestManager(cluster.kubeconfig);
});

afterAll(async () => {
  await user?.stop();
  await gateway?.close();
  await cluster?.stop();
});

describe.each([
  { whose: "the walk-through's AppService", setup: setupWalkThroughAppService, holds: false },
  { whose: "the template's AppService", setup: setupAppServiceController, holds: true },
])("$whose", ({ setup, holds }) => {
  const prefix = holds ? "template" : "walk";

  test(`drift: ${outcome(holds, "restores a Service that was deleted")}`, async () => {
    const key = { namespace, name: `${prefix}-deleted` };
    await startAndMake(setup, appService, key, Service);
    expect(await isRestored(Service, key)).toBe(holds);
  });

  test(`drift: ${outcome(holds, "repairs an image that was changed by hand")}`, async () => {
    const key = { namespace, name: `${prefix}-changed` };
    await startAndMake(setup, appService, key, Service);
    expect(await isRepaired(Deployment, key)).toBe(holds);
  });

  test(`conflict: ${outcome(holds, "continues after a conflicting write")}`, async () => {
    const key = { namespace, name: `${prefix}-met` };
    // Its first write to the app itself, annotation or status, comes too late.
    gateway.refuseNext(
      { code: 409, reason: "Conflict" },
      (request) => isWrite(request) && request.path.includes(`/appservices/${key.name}`),
    );
    await startAndMake(setup, appService, key, Service);
    await user.client.patch(AppService, key, { merge: { spec: { image: "nginx:2" } } });
    expect(await becomes(async () => imageOf(await user.client.get(Deployment, key)) === "nginx:2")).toBe(
      holds,
    );
  });

  test(`conflict: ${outcome(holds, "continues after the annotations were replaced")}`, async () => {
    const key = { namespace, name: `${prefix}-replaced` };
    await startAndMake(setup, appService, key, Service);
    await becomes(async () => {
      const { metadata, status } = await user.client.get(AppService, key);
      return status !== undefined || metadata.annotations?.[specAnnotation] !== undefined;
    });
    const change = { metadata: { annotations: null }, spec: { image: "nginx:2" } };
    await user.client.patch(AppService, key, { merge: change });
    expect(await becomes(async () => imageOf(await user.client.get(Deployment, key)) === "nginx:2")).toBe(
      holds,
    );
  });

  test(`restart: ${outcome(holds, "continues after a restart in the middle of its work")}`, async () => {
    const key = { namespace, name: `${prefix}-interrupted` };
    const manager = await startOperator(setup);
    gateway.refuseNext(
      { code: 403, reason: "Forbidden" },
      (request) =>
        isWrite(request) && request.path.includes("/services") && request.path.includes(`/${namespace}/`),
    );
    await user.client.create(AppService, { metadata: key, spec: appService.spec });
    await becomes(async () => (await user.client.find(Deployment, key)) !== undefined);
    await manager.stop();
    await startOperator(setup);
    expect(await becomes(async () => (await user.client.find(Service, key)) !== undefined)).toBe(holds);
  });
});

function outcome(holds: boolean, what: string): string {
  return holds ? what : `fails: ${what}`;
}

/** Starts an operator behind the gateway, until the end of the test. */
async function startOperator(setup: Setup): Promise<TestManager> {
  const kubeconfig = structuredClone(cluster.kubeconfig);
  kubeconfig.clusters[0].cluster = { server: gateway.url };
  kubeconfig.users[0].user = { token: "operator" };
  const manager = await startTestManager({ kubeconfig, clock, logger: silent }, setup);
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= manager.stop());
  onTestFinished(stop);
  return { ...manager, stop };
}

/** Starts an operator, and waits until it has created a child of an object. */
async function startAndMake<T extends KubernetesObject>(
  setup: Setup,
  { kind, spec }: { kind: Kind<T>; spec: object },
  key: Key,
  child: Kind,
): Promise<TestManager> {
  const manager = await startOperator(setup);
  await user.client.create(kind, { metadata: { ...key }, spec } as never);
  if (await becomes(async () => (await user.client.find(child, key)) !== undefined)) return manager;
  throw new Error("the reconciler made nothing to disturb");
}

async function isRestored(kind: Kind, key: Key): Promise<boolean> {
  const { metadata } = await user.client.get(kind, key);
  await settled();
  await user.client.delete(kind, key);
  return becomes(async () => {
    const object = await user.client.find(kind, key);
    return object !== undefined && object.metadata.uid !== metadata.uid;
  });
}

async function isRepaired(kind: typeof Deployment, key: Key): Promise<boolean> {
  await settled();
  const path = "/spec/template/spec/containers/0/image";
  const image = imageOf(await user.client.get(kind, key));
  await user.client.patch(kind, key, { json: [{ op: "replace", path, value: "other" }] });
  return becomes(async () => imageOf(await user.client.get(kind, key)) === image);
}

function imageOf({ spec }: Deployment): string | undefined {
  return spec?.template.spec?.containers[0]?.image;
}

/** Waits until all work in progress has ended, and timers have had a second. */
function settled(): Promise<void> {
  return moveClock(clock, 1000, { isBusy: () => gateway.isBusy });
}

/** True if a state is reached within half a minute on the clock, without further changes. */
async function becomes(check: () => Promise<boolean>): Promise<boolean> {
  for (let second = 0; second < 30; second++) {
    if (await check()) return true;
    await settled();
  }
  return false;
}

const quiet = (): void => {};
const silent: NonNullable<ManagerOptions["logger"]> = {
  debug: quiet,
  info: quiet,
  warn: quiet,
  error: quiet,
  with: () => silent,
  isEnabled: () => false,
};

import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { Namespace, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { expect } from "vitest";
import { AppService } from "../../golden/app-operator/api/v1/appservice_types.ts";
import { isWatch, isWrite, type PassedRequest } from "../api-gateway.ts";
import { type Key, type Scenario, type Stage, watchedKinds } from "./stage.ts";

/** What happens while the operator, its API server or an object is away. */
export const absenceScenarios: readonly Scenario[] = [
  { id: "T17", title: "an app that was deleted meanwhile is not made again", play: deletedMeanwhile },
  { id: "T17b", title: "nothing is made in a namespace that ends", play: endingNamespace, quiet: false },
  { id: "T28", title: "60 apps that are as they should be cost no write at a cold start", play: coldStart },
  { id: "T30", title: "the API server is away for 20 s, and forgets a watch", play: outage },
];

async function deletedMeanwhile(stage: Stage, namespace: string): Promise<void> {
  const key = { namespace, name: "gone" };
  await stage.create(key, { image: "nginx", ports: [{ port: 80 }] });
  await stage.observed(key);
  await stage.stop();
  await stage.client.delete(AppService, key, { propagationPolicy: "Background" });
  const writes = stage.writesFromNow();
  await stage.start();
  await stage.eventually(() => {
    const lines = stage.operator.lines.filter(({ msg, name }) => name === "gone" && /not found/.test(msg!));
    expect(lines).toMatchObject([{ level: "info" }]);
  });
  await stage.eventually(async () => {
    expect(await stage.operator.metric("workqueue_depth")).toBe(0);
  });
  expect(writes().filter(({ path }) => path.includes(`/namespaces/${namespace}/`))).toEqual([]);
  expect(await stage.client.find(AppService, key)).toBeUndefined();
}

async function endingNamespace(stage: Stage, namespace: string): Promise<void> {
  const key = { namespace, name: "ending" };
  await stage.create(key, { image: "nginx", ports: [{ port: 80 }] });
  await stage.observed(key);
  const writes = stage.writesFromNow();
  // Nobody empties the namespace here but this scenario: first the app, then what it owned.
  await stage.client.delete(Namespace, { name: namespace });
  await stage.client.delete(AppService, key);
  const reconciles = await stage.reconciles();
  await stage.client.delete(Deployment, key);
  await stage.client.delete(Service, key);
  await stage.eventually(async () => {
    expect(await stage.reconciles()).toBeGreaterThan(reconciles);
    expect(await stage.operator.metric("workqueue_depth")).toBe(0);
  });
  expect(writes()).toEqual([]);
  expect(await stage.client.list(AppService, { namespace })).toEqual([]);
}

async function coldStart(stage: Stage, namespace: string): Promise<void> {
  const keys = Array.from({ length: 60 }, (_, at) => ({ namespace, name: `app-${at}` }));
  for (const key of keys) await stage.create(key, { image: "nginx", ports: [{ port: 80 }], replicas: 2 });
  for (const key of keys) await stage.observed(key);
  await stage.stop();
  const from = stage.gateway.requests.length;
  await stage.start();
  await stage.eventually(async () => {
    expect(await stage.reconciles()).toBeGreaterThanOrEqual(keys.length);
    expect(await stage.operator.metric("workqueue_depth")).toBe(0);
  });
  const requests = stage.gateway.requests.slice(from);
  expect(requests.filter(isWrite).map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  for (const { plural } of watchedKinds) {
    const own = requests.filter(({ path }) => path.endsWith(`/${plural}`));
    expect({ plural, watches: own.filter(isWatch).length }).toEqual({ plural, watches: 1 });
    // A server that can streams the list through the watch; then there is no request of its own for it.
    expect({ plural, lists: own.filter(isList).length }).toEqual({ plural, lists: 1 });
  }
}

function isList(request: PassedRequest): boolean {
  return !isWatch(request) || request.query.get("sendInitialEvents") === "true";
}

async function outage(stage: Stage, namespace: string): Promise<void> {
  const [mended, changed] = [
    { namespace, name: "mended" },
    { namespace, name: "changed" },
  ] as const;
  for (const key of [mended, changed]) {
    await stage.create(key, { image: "nginx", ports: [{ port: 80 }] });
    await stage.observed(key);
  }
  const { pid } = stage.operator;
  const before = await stage.client.get(Service, mended);

  const cutAt = stage.gateway.requests.length;
  stage.gateway.cut();
  await stage.client.delete(Service, mended);
  await stage.change(changed, { image: "nginx:2" });
  await stage.wait(20_000);
  const attempts = stage.gateway.requests.slice(cutAt);
  stage.gateway.mend();
  expect(stage.operator.isRunning).toBe(true);
  expect(stage.operator.pid).toBe(pid);
  for (const { plural } of watchedKinds) expectBackoff(attempts, plural);

  await stage.eventually(async () => {
    const service = await stage.client.get(Service, mended);
    expect(service.metadata.uid).not.toBe(before.metadata.uid);
    expect(imageOf(await stage.client.get(Deployment, changed))).toBe("nginx:2");
  });

  await forgottenWatch(stage, mended);
  expect(stage.operator.isRunning).toBe(true);
}

/** Attempts get rarer: with none to spare in 20 s, the last pause is longer than the first. */
function expectBackoff(attempts: readonly PassedRequest[], plural: string): void {
  const times = attempts.filter(({ path }) => path.endsWith(`/${plural}`)).map(({ at }) => at);
  const pauses = times.slice(1).map((at, index) => at - times[index]!);
  expect(times.length, `attempts for ${plural}`).toBeGreaterThan(2);
  expect(times.length, `attempts for ${plural}`).toBeLessThan(12);
  expect(pauses.at(-1), `pauses for ${plural}: ${pauses.join()}`).toBeGreaterThan(2 * pauses[0]!);
}

async function forgottenWatch(stage: Stage, key: Key): Promise<void> {
  const from = stage.gateway.requests.length;
  stage.gateway.expireWatches("services");
  await stage.eventually(() => {
    const services = stage.gateway.requests.slice(from).filter(({ path }) => path.endsWith("/services"));
    expect(services.some(({ status }) => status === 410)).toBe(true);
    expect(services.some((request) => request.status === 200 && isList(request))).toBe(true);
  });
  const before = await stage.client.get(Service, key);
  await stage.client.delete(Service, key);
  await stage.eventually(async () => {
    expect((await stage.client.get(Service, key)).metadata.uid).not.toBe(before.metadata.uid);
  });
}

function imageOf({ spec }: Deployment): string | undefined {
  return spec?.template.spec?.containers[0]?.image;
}

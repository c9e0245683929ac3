import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { Namespace, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { expect } from "vitest";
import { AppService } from "../../../golden/app-operator/api/v1/appservice_types.ts";
import { isWatch, isWrite, type PassedRequest } from "../api-gateway.ts";
import { type Key, type Scenario, type ScenarioContext, watchedKinds } from "./context.ts";

/** The operator, its API server or an object is away for a while. */
export const absenceScenarios: readonly Scenario[] = [
  { id: "T17", title: "an app that was deleted meanwhile is not created again", run: deletedMeanwhile },
  { id: "T17b", title: "nothing is created in a terminating namespace", run: endingNamespace, quiet: false },
  { id: "T28", title: "a cold start with 60 reconciled apps sends no write", run: coldStart },
  { id: "T30", title: "the API server is down for 20 s, and a watch expires", run: outage },
];

async function deletedMeanwhile(context: ScenarioContext, namespace: string): Promise<void> {
  const key = { namespace, name: "gone" };
  await context.make(key, { image: "nginx", ports: [{ port: 80 }] });
  await context.stop();
  await context.client.delete(AppService, key, { propagationPolicy: "Background" });
  const writes = context.writesFromNow();
  await context.start();
  await context.eventually(() => {
    const lines = context.operator.lines.filter(({ msg, name }) => name === "gone" && /not found/.test(msg!));
    expect(lines).toMatchObject([{ level: "info" }]);
  });
  await context.idle();
  expect(writes().filter(({ path }) => path.includes(`/namespaces/${namespace}/`))).toEqual([]);
  expect(await context.client.find(AppService, key)).toBeUndefined();
}

async function endingNamespace(context: ScenarioContext, namespace: string): Promise<void> {
  const key = { namespace, name: "ending" };
  await context.make(key, { image: "nginx", ports: [{ port: 80 }] });
  const writes = context.writesFromNow();
  // Only this scenario empties the namespace: first the app, then what it owned.
  await context.client.delete(Namespace, { name: namespace });
  await context.client.delete(AppService, key);
  const reconciles = await context.reconciles();
  await context.client.delete(Deployment, key);
  await context.client.delete(Service, key);
  await context.eventually(async () => {
    expect(await context.reconciles()).toBeGreaterThan(reconciles);
    expect(await context.operator.metric("workqueue_depth")).toBe(0);
  });
  expect(writes()).toEqual([]);
  expect(await context.client.list(AppService, { namespace })).toEqual([]);
}

async function coldStart(context: ScenarioContext, namespace: string): Promise<void> {
  const keys = Array.from({ length: 60 }, (_, at) => ({ namespace, name: `app-${at}` }));
  for (const key of keys) await context.create(key, { image: "nginx", ports: [{ port: 80 }], replicas: 2 });
  for (const key of keys) await context.observed(key);
  await context.stop();
  const from = context.gateway.requests.length;
  await context.start();
  await context.eventually(async () => {
    expect(await context.reconciles()).toBeGreaterThanOrEqual(keys.length);
    expect(await context.operator.metric("workqueue_depth")).toBe(0);
  });
  const requests = context.gateway.requests.slice(from);
  expect(requests.filter(isWrite).map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  for (const { plural } of watchedKinds) {
    const own = requests.filter(({ path }) => path.endsWith(`/${plural}`));
    expect({ plural, watches: own.filter(isWatch).length }).toEqual({ plural, watches: 1 });
    // A server with streaming lists sends the list through the watch; then no list request is sent.
    expect({ plural, lists: own.filter(isList).length }).toEqual({ plural, lists: 1 });
  }
}

function isList(request: PassedRequest): boolean {
  return !isWatch(request) || request.query.get("sendInitialEvents") === "true";
}

async function outage(context: ScenarioContext, namespace: string): Promise<void> {
  const [mended, changed] = [
    { namespace, name: "mended" },
    { namespace, name: "changed" },
  ] as const;
  for (const key of [mended, changed]) {
    await context.make(key, { image: "nginx", ports: [{ port: 80 }] });
  }
  const { pid } = context.operator;
  const before = await context.client.get(Service, mended);

  const cutAt = context.gateway.requests.length;
  context.gateway.cut();
  await context.client.delete(Service, mended);
  await context.change(changed, { image: "nginx:2" });
  await context.wait(20_000);
  const attempts = context.gateway.requests.slice(cutAt);
  context.gateway.mend();
  expect(context.operator.isRunning).toBe(true);
  expect(context.operator.pid).toBe(pid);
  for (const { plural } of watchedKinds) expectBackoff(attempts, plural);

  await context.eventually(
    async () => {
      const service = await context.client.get(Service, mended);
      expect(service.metadata.uid).not.toBe(before.metadata.uid);
      expect(imageOf(await context.client.get(Deployment, changed))).toBe("nginx:2");
    },
    { within: 60_000 },
  );

  await forgottenWatch(context, mended);
  expect(context.operator.isRunning).toBe(true);
}

/** Attempts become rarer: if none are due within 20 s, the last pause is longer than the first. */
function expectBackoff(attempts: readonly PassedRequest[], plural: string): void {
  const times = attempts.filter(({ path }) => path.endsWith(`/${plural}`)).map(({ at }) => at);
  const pauses = times.slice(1).map((at, index) => at - times[index]!);
  expect(times.length, `attempts for ${plural}`).toBeGreaterThan(2);
  expect(times.length, `attempts for ${plural}`).toBeLessThan(12);
  expect(pauses.at(-1), `pauses for ${plural}: ${pauses.join()}`).toBeGreaterThan(2 * pauses[0]!);
}

async function forgottenWatch(context: ScenarioContext, key: Key): Promise<void> {
  const from = context.gateway.requests.length;
  context.gateway.expireWatches("services");
  await context.eventually(() => {
    const services = context.gateway.requests.slice(from).filter(({ path }) => path.endsWith("/services"));
    expect(services.some(({ status }) => status === 410)).toBe(true);
    expect(services.some((request) => request.status === 200 && isList(request))).toBe(true);
  });
  const before = await context.client.get(Service, key);
  await context.client.delete(Service, key);
  await context.eventually(async () => {
    expect((await context.client.get(Service, key)).metadata.uid).not.toBe(before.metadata.uid);
  });
}

function imageOf({ spec }: Deployment): string | undefined {
  return spec?.template.spec?.containers[0]?.image;
}

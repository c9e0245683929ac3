import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { expect, onTestFinished, test } from "vitest";
import { startClusterUnderTest } from "../../../e2e/support/runtime/cluster-under-test.ts";
import { RequestChannel } from "../controller/source.ts";
import { objectMatches } from "../controller/predicate.ts";
import type { NamespacedName } from "../client/client.ts";
import { TerminalError } from "../errors/api-error.ts";
import { ConfigMap } from "../k8s/core/v1.ts";
import { eventually } from "../testing/eventually.ts";
import { silentLogger } from "../testing/reconcile-context.ts";
import { startTestManager } from "../testing/test-manager.ts";
import type { ChannelMessages } from "./channels.ts";

/** Collects what a channel gets until the test ends. */
function collect<Name extends keyof ChannelMessages>(name: Name): ChannelMessages[Name][] {
  const messages: ChannelMessages[Name][] = [];
  const add = (message: unknown) => void messages.push(message as ChannelMessages[Name]);
  subscribe(name, add);
  onTestFinished(() => void unsubscribe(name, add));
  return messages;
}

test("a subscriber learns why each reconcile ran, what it requested, and how it ended", async () => {
  const enqueued = collect("tsbuilder:enqueue");
  const started = collect("tsbuilder:reconcile:start");
  const ended = collect("tsbuilder:reconcile:end");
  const requests = collect("tsbuilder:request");
  const cluster = await startClusterUnderTest();
  const pushes = new RequestChannel<NamespacedName>("pushes");
  const { client, stop } = await startTestManager(
    { kubeconfig: cluster.kubeconfig!, logger: silentLogger },
    (manager) =>
      manager
        .controllerFor(ConfigMap, {
          predicates: [objectMatches(({ metadata }) => metadata.namespace === "default")],
        })
        .watchesSource(pushes)
        .complete({
          reconcile: async ({ name, namespace }) => {
            if (name === "broken")
              throw new TerminalError("no luck", { cause: new Error("connect ECONNREFUSED 10.0.0.1:443") });
            const found = await manager.client.find(ConfigMap, { name, namespace });
            if (!found || found.data?.["seen"]) return { requeueAfter: "5m" };
            await manager.client.apply(ConfigMap, { metadata: { name, namespace }, data: { seen: "yes" } });
            return {};
          },
        }),
  );
  onTestFinished(async () => {
    await stop();
    await cluster.stop();
  });
  await client.create(ConfigMap, { metadata: { name: "one", namespace: "default" } });
  pushes.send({ name: "broken", namespace: "default" }, { cause: "push to main" });
  pushes.send({ name: "absent", namespace: "default" });

  await eventually(() =>
    expect(ended.map(({ request, outcome }) => `${request} ${outcome}`)).toEqual(
      expect.arrayContaining(["default/one done", "default/one later", "default/broken terminal"]),
    ),
  );
  expect(enqueued.map(({ request, cause }) => `${request}: ${cause}`)).toEqual(
    expect.arrayContaining([
      "default/one: add of ConfigMap default/one",
      "default/one: update of ConfigMap default/one",
      "default/broken: push to main",
      "default/absent: pushes",
    ]),
  );
  const of = (outcome: string) =>
    ended.find((end) => end.outcome === outcome && !end.request.endsWith("/absent"))!;
  expect(of("terminal")).toMatchObject({
    controller: "configmap",
    error: "no luck: connect ECONNREFUSED 10.0.0.1:443",
  });
  expect(of("terminal").stack).toMatch(/^\w*Error: no luck\n(.|\n)*channels-in-cluster\.test\.ts:\d+:\d+/);
  expect(of("done").stack).toBeUndefined();
  expect(of("later").requeueAfter).toBe(300_000);
  expect(started.map(({ reconcileID }) => reconcileID)).toEqual(
    expect.arrayContaining(ended.map(({ reconcileID }) => reconcileID)),
  );
  const own = requests.filter(({ reconcileID }) => reconcileID === of("done").reconcileID);
  expect(own).toMatchObject([{ method: "PATCH", code: "200" }]);
  expect(own[0]!.path).toMatch(/^\/api\/v1\/namespaces\/default\/configmaps\/one/);
  expect(requests.some(({ reconcileID }) => reconcileID === undefined)).toBe(true);

  await expect(client.create(ConfigMap, { metadata: { name: "Bad", namespace: "default" } })).rejects.toThrow(
    /invalid/,
  );
  const bodies = requests.flatMap(({ code, body }) => (body === undefined ? [] : [[code, body]]));
  expect(bodies).toEqual([["422", expect.stringContaining('"name":"Bad"')]]);
});

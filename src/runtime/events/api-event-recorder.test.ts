import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ClusterUnderTest } from "../../../e2e/support/runtime/cluster-under-test.ts";
import { startClusterUnderTest } from "../../../e2e/support/runtime/cluster-under-test.ts";
import type { Client } from "../client/client.ts";
import { interceptClient } from "../client/intercept-client.ts";
import { createClient, type LiveClient } from "../client/live-client.ts";
import { loadConfig } from "../config/load-config.ts";
import { ApiError } from "../errors/api-error.ts";
import { createLogger } from "../log/logger.ts";
import { runInScope } from "../scope/scope.ts";
import { FakeClock, settled } from "@tsbuilder/apimachinery/time";
import { eventually } from "../testing/eventually.ts";
import { moveClockUntil } from "../testing/move-clock.ts";
import { Event } from "../k8s/events/v1.ts";
import { ApiEventRecorder } from "./event-recorder.ts";
import { Namespace } from "../k8s/core/v1.ts";

/** Its own: operators of other tests write Events, and a real server delivers them late. */
const namespace = "recorded";
let cluster: ClusterUnderTest;
let client: LiveClient;
beforeAll(async () => {
  cluster = await startClusterUnderTest();
  client = createClient(() => loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }), {
    fieldManager: "test",
  });
  await client.create(Namespace, { metadata: { name: namespace } });
});
afterAll(async () => {
  await client.close();
  await cluster.stop();
});
beforeEach(() => client.deleteAllOf(Event, { namespace }));

const pod = (name = "p") => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace, uid: `uid-${name}` },
});
const noDeadline = new AbortController().signal;

function makeRecorder(live: Client = client) {
  const clock = new FakeClock();
  const lines: string[] = [];
  const recorder = new ApiEventRecorder({
    client: live,
    reportingController: "test",
    reportingInstance: "test-host",
    log: createLogger({ level: "debug", write: (line) => void lines.push(line) }),
    clock,
  });
  return { recorder, clock, lines };
}

const events = () => client.list(Event, { namespace });

describe("ApiEventRecorder", () => {
  test("an Event has a name whatever the clock says: a moved clock knows fractions of milliseconds", async () => {
    const { recorder, clock } = makeRecorder();
    clock.advanceSync(0.25);
    recorder.normal(pod(), "Began", "It began");
    await recorder.stop(noDeadline);
    expect(await events()).toHaveLength(1);
  });

  test("an Event has the reporter, the reason and the object, as in events.k8s.io/v1", async () => {
    const { recorder } = makeRecorder();
    recorder.warning(pod(), "Broken", "It broke", {
      action: "Look",
      related: pod("q"),
      annotations: { a: "b" },
    });
    await recorder.stop(noDeadline);
    const [event] = await events();
    expect(event).toMatchObject({
      apiVersion: "events.k8s.io/v1",
      type: "Warning",
      reason: "Broken",
      action: "Look",
      note: "It broke",
      reportingController: "test",
      reportingInstance: "test-host",
      eventTime: "2024-01-01T00:00:00.000000Z",
      regarding: { apiVersion: "v1", kind: "Pod", name: "p", namespace, uid: "uid-p" },
      related: { name: "q" },
      metadata: { namespace, annotations: { a: "b" } },
    });
    expect(event?.series).toBeUndefined();
  });

  test("repeated events become a series, written at once, then rarely, and closed when it is over", async () => {
    const { recorder, clock } = makeRecorder();
    recorder.normal(pod(), "Again", "and again");
    await eventually(async () => (await events()).length === 1);
    await clock.advance(1000);
    recorder.normal(pod(), "Again", "and again");
    await eventually(async () => (await events())[0]?.series?.count === 2);
    for (let minute = 0; minute < 5; minute++) {
      await clock.advance(60_000);
      recorder.normal(pod(), "Again", "and again");
    }
    expect((await events())[0]?.series?.count).toBe(2);
    await clock.advance(420_000);
    await eventually(async () => (await events())[0]?.series?.count === 7);
    recorder.normal(pod(), "Again", "and again");
    await recorder.stop(noDeadline);
    expect(await events()).toHaveLength(2);
  });

  test("an object with ever new events is limited to 25, other objects are not", async () => {
    const { recorder, clock } = makeRecorder();
    for (let index = 0; index < 40; index++) recorder.normal(pod("noisy"), "Noise", `number ${index}`);
    recorder.normal(pod("quiet"), "Word", "one");
    await eventually(async () => (await events()).length === 26);
    expect(recorder.dropped).toBe(15);
    await clock.advance(300_000);
    recorder.normal(pod("noisy"), "Noise", "number 41");
    await recorder.stop(noDeadline);
    expect(await events()).toHaveLength(27);
  });

  test("recording never waits: without a server Events queue up to a limit, and stopping gives up at the deadline", async () => {
    const nowhere = createClient({ server: "http://127.0.0.1:9" });
    const { recorder } = makeRecorder(nowhere);
    for (let index = 0; index < 1500; index++) recorder.normal(pod(`p${index}`), "Lost", "in the dark");
    expect(recorder.dropped).toBeGreaterThanOrEqual(499);
    const deadline = new AbortController();
    const stopped = recorder.stop(deadline.signal);
    await settled();
    deadline.abort();
    await stopped;
    recorder.normal(pod(), "After", "the end");
    await nowhere.close();
  });

  test("an Event that got no answer is sent again", async () => {
    let tries = 0;
    const unsteady = interceptClient(client, {
      create(call, next) {
        if (tries++ === 0) throw new ApiError({ reason: "Unreachable", message: "reset" });
        return next(call);
      },
    });
    const { recorder, clock } = makeRecorder(unsteady);
    recorder.normal(pod(), "Sent", "again");
    await moveClockUntil(clock, () => tries === 2);
    // Waits for the answer, which no timer of this clock tells of.
    await recorder.stop(noDeadline);
    expect((await events()).map(({ reason }) => reason)).toEqual(["Sent"]);
    expect({ tries, dropped: recorder.dropped }).toEqual({ tries: 2, dropped: 0 });
  });

  test("an Event that the server rejects is dropped and the next one sent", async () => {
    const { recorder, lines } = makeRecorder();
    recorder.normal(
      { ...pod(), metadata: { ...pod().metadata, namespace: "missing" } },
      "Refused",
      "no namespace",
    );
    recorder.normal(pod(), "Sent", "after it");
    await recorder.stop(noDeadline);
    expect((await events()).map(({ reason }) => reason)).toEqual(["Sent"]);
    expect(lines.join()).toContain("the server refused it");
  });

  test("long texts are truncated to the server's limits, at whole characters", async () => {
    const { recorder } = makeRecorder();
    runInScope({ logFields: () => ({ reconcileID: "x" }) }, () =>
      recorder.normal(pod("n".repeat(253)), "R".repeat(200), "ä".repeat(2000)),
    );
    await recorder.stop(noDeadline);
    const [event] = await events();
    expect(event?.note).toBe("ä".repeat(512));
    expect(event?.reason).toHaveLength(128);
    expect(event?.metadata.name).toHaveLength(253);
  });
});

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { createClient, createLogger, loadConfig, Manager } from "@tsbuilder/runtime";
import { untilIdle } from "@tsbuilder/runtime/testing";
import { expect, onTestFinished, test } from "vitest";
import { startContainerServer } from "../../../e2e/support/runtime/container-server.ts";
import { Widget, widgetDefinition } from "../../../e2e/support/runtime/widget-kinds.ts";
import { mergeRecords, readFlights, recorderPort } from "./read-flight.ts";
import { readRecording } from "./read-recording.ts";
import type { Recorded } from "./recorded.ts";
import { tellRecording } from "./tell-recording.ts";

test("the record of an operator is read through a forwarded port, and told as one of dev", async () => {
  const cluster = await startTestCluster({ crds: [widgetDefinition] });
  onTestFinished(() => cluster.stop());
  const manager = new Manager({
    name: "shop",
    config: () => loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }),
    logger: createLogger({ encoder: "json", write() {} }),
    recorder: { bindAddress: "127.0.0.1:0" },
  });
  manager.controllerFor(Widget).complete({
    async reconcile(request, { log }) {
      const widget = await manager.client.get(Widget, request);
      log.info("Looked at it");
      if (widget.status?.ready !== 1) await manager.client.patchStatus(Widget, widget, { ready: 1 });
      if (widget.spec.color === "red") throw new Error("it is red");
    },
  });
  const end = manager.start();
  onTestFinished(async () => {
    manager.stop();
    await end;
  });
  await manager.started;
  await manager.client.create(Widget, { metadata: { namespace: "default", name: "one" }, spec: {} });
  await untilIdle(manager);
  const forwarding = createClient((await startContainerServer({})).config);
  onTestFinished(() => forwarding.close());
  const port = Number(manager.addresses.recorder!.split(":")[1]);
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { namespace: "shop-system", name: "shop-1" } };
  const { operator, recorded } = await readFlights(forwarding, [pod as never], port);
  expect(operator).toBe("shop");
  expect(recorded).toContainEqual(
    expect.objectContaining({
      type: "reconcile",
      controller: "widget",
      request: "default/one",
      causes: ["add of Widget default/one"],
      outcome: "done",
      requests: [expect.objectContaining({ method: "PATCH", code: "200" })],
    }),
  );
  expect(recorded.filter(({ type }) => type === "operator").length).toBeGreaterThan(0);
  // The record tells changes by the reconcile as edits of the operator.
  expect(recorded.filter(({ type }) => type === "write")).toMatchObject([
    { write: "ADDED", resource: "widgets.example.com", key: "default/one" },
    {
      write: "MODIFIED",
      by: { user: "system:serviceaccount:shop-system:shop-controller-manager" },
      object: { status: { ready: 1 } },
    },
  ]);
  // tsbuilder replay reads the file that tsbuilder record wrote.
  const folder = mkdtempSync(join(tmpdir(), "flight-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "night.jsonl");
  const session = {
    type: "session",
    format: 1,
    at: new Date().toISOString(),
    project: operator,
    tsbuilder: "1",
  };
  writeFileSync(file, [session, ...recorded].map((line) => `${JSON.stringify(line)}\n`).join(""));
  const told = tellRecording(readRecording(file).recorded).map(({ text }) => text);
  expect(told).toContainEqual(
    expect.stringMatching(/^widget reconciles default\/one, because of add of Widget default\/one: done in/u),
  );
  expect(told).toContainEqual(expect.stringContaining("Looked at it"));
  await expect(readFlights(forwarding, [pod as never], 1)).rejects.toMatchObject({
    code: "CLUSTER_UNREACHABLE",
  });
});

test("records of several pods are one time line, in the order of the ends", () => {
  const line = (text: string, second: number): Recorded => ({
    type: "operator",
    text,
    at: new Date(second * 1000).toISOString(),
  });
  const merged = mergeRecords([[line("a", 1), line("c", 3)], [line("b", 2)]]);
  expect(merged.map((one) => "text" in one && one.text)).toEqual(["a", "b", "c"]);
});

test("a change that several replicas saw is told once, and a state before it only if it is not known", () => {
  const seen = (
    write: "KEPT" | "MODIFIED" | "DELETED",
    resourceVersion: string,
    second: number,
  ): Recorded => ({
    type: "write",
    at: new Date(second * 1000).toISOString(),
    write,
    resource: "pods",
    key: "default/db",
    by: undefined,
    object: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { namespace: "default", name: "db", uid: "1", resourceVersion },
    },
  });
  const one = [seen("KEPT", "1", 1), seen("MODIFIED", "2", 1), seen("DELETED", "3", 3)];
  const two = [seen("KEPT", "2", 2), seen("DELETED", "3", 3)];
  expect(mergeRecords([one, two])).toEqual(one);
});

test("the port of the recorder is read from the arguments of the containers", () => {
  const deployment = (...args: string[]) => ({
    spec: { selector: {}, template: { spec: { containers: [{ name: "manager", args }] } } },
  });
  expect(recorderPort(deployment("--leader-elect", "--recorder-bind-address=127.0.0.1:8082"))).toBe(8082);
  expect(recorderPort(deployment("--recorder-bind-address=0"))).toBeUndefined();
});

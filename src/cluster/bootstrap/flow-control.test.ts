import { FakeClock } from "@tsbuilder/apimachinery/time";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestCluster, type TestCluster } from "../testing/index.ts";
import { send } from "../testing/send.ts";

const clock = new FakeClock();
let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster({ clock });
});
afterAll(() => cluster.stop());

const group = "/apis/flowcontrol.apiserver.k8s.io/v1";
const autoUpdate = "apf.kubernetes.io/autoupdate-spec";

const call = (method: string, path: string, body?: object) =>
  send(cluster.kubeconfig, {
    method,
    path: `${group}/${path}`,
    ...(body && { body, headers: { "Content-Type": "application/merge-patch+json" } }),
  });

const objectAt = async (path: string) =>
  (await call("GET", path)).body as { metadata: { generation: number }; spec: Record<string, unknown> };

it.each(["flowschemas/exempt", "flowschemas/probes", "prioritylevelconfigurations/catch-all"])(
  "creates %s again within a minute of its deletion",
  async (path) => {
    const { spec } = await objectAt(path);
    expect((await call("DELETE", path)).code).toBe(200);
    expect((await call("GET", path)).code).toBe(404);
    await clock.advance(60_000);
    await expect.poll(async () => (await objectAt(path)).spec).toEqual(spec);
  },
);

it("puts a changed spec right, unless the object is marked as changed", async () => {
  const change = { spec: { matchingPrecedence: 7 } };
  await call("PATCH", "flowschemas/system-nodes", change);
  const kept = { ...change, metadata: { annotations: { [autoUpdate]: "false" } } };
  await call("PATCH", "flowschemas/kube-scheduler", kept);
  await clock.advance(60_000);
  await expect
    .poll(async () => (await objectAt("flowschemas/system-nodes")).spec["matchingPrecedence"])
    .toBe(500);
  await clock.advance(60_000);
  expect((await objectAt("flowschemas/kube-scheduler")).spec["matchingPrecedence"]).toBe(7);
});

it("marks an object whose mark is missing by whether its spec was ever changed", async () => {
  const unmarked = { metadata: { annotations: { [autoUpdate]: null } } };
  await call("PATCH", "flowschemas/service-accounts", unmarked);
  await call("PATCH", "flowschemas/global-default", { ...unmarked, spec: { matchingPrecedence: 7 } });
  await clock.advance(60_000);
  const markOf = async (name: string) => {
    const { metadata } = (await objectAt(`flowschemas/${name}`)) as unknown as {
      metadata: { annotations?: Record<string, string> };
    };
    return metadata.annotations?.[autoUpdate];
  };
  await expect.poll(() => markOf("service-accounts")).toBe("true");
  await expect.poll(() => markOf("global-default")).toBe("false");
  expect((await objectAt("flowschemas/global-default")).spec["matchingPrecedence"]).toBe(7);
});

it("keeps what the level of exempt requests lends", async () => {
  await call("PATCH", "prioritylevelconfigurations/exempt", { spec: { exempt: { lendablePercent: 5 } } });
  await clock.advance(60_000);
  expect((await objectAt("prioritylevelconfigurations/exempt")).spec).toMatchObject({
    exempt: { lendablePercent: 5 },
  });
});

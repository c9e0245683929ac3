import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:tls";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TimeSlices } from "../http/time-slices.ts";
import type { Resource, Strategy } from "../registry/resource.ts";
import { openWatch } from "../testing/testdata/open-watch.ts";
import { send } from "../testing/send.ts";
import { startTestCluster, type TestCluster } from "../testing/index.ts";
import { serve } from "./serve.ts";

let cluster: TestCluster;
let reported: Error[];
beforeEach(async () => {
  reported = [];
  cluster = await startTestCluster({ onError: (error) => reported.push(error as Error) });
});
afterEach(() => cluster.stop());

const path = "/api/v1/namespaces/default/configmaps";
const call = (method: string, at: string, body?: unknown, type = "application/json") =>
  send(cluster.kubeconfig, { method, path: at, body, headers: { "Content-Type": type } });
const secret = { metadata: { name: "a" }, data: { secret: "hunter2" } };

const bug = new TypeError("Cannot read properties of undefined (reading 'spec')");
const throwing = (): never => {
  throw bug;
};

/** Replaces parts of the resource of ConfigMaps. */
function plant(changes: Partial<Resource>): void {
  cluster.core.registry.add({ ...cluster.core.registry.find("", "configmaps")!, ...changes });
}

function plantStrategy(changes: Partial<Strategy>): void {
  plant({ strategy: { ...cluster.core.registry.find("", "configmaps")!.strategy, ...changes } });
}

const internal = {
  kind: "Status",
  status: "Failure",
  code: 500,
  reason: "InternalError",
  message: "Internal error occurred: This request caused apiserver to panic. Look in the logs for details.",
};

/** The request failed as a whole, and the log names it. */
async function expectFailure(method: string, at: string, body?: unknown, type?: string): Promise<void> {
  const { revision } = cluster.core.store;
  const { code, body: status } = await call(method, at, body, type);
  expect({ code, status }).toMatchObject({ code: 500, status: internal });
  expect(cluster.core.store.revision).toBe(revision);
  expect(reported.map(({ message, cause }) => [message, cause])).toEqual([
    [`${method} ${at} of kubernetes-admin failed`, bug],
  ]);
  expect((await call("GET", "/readyz")).text).toBe("ok");
}

test.each(["default", "prepareForCreate", "validate", "warnings", "beforeCommit"] as const)(
  "a strategy that throws in %s stores nothing",
  async (hook) => {
    plantStrategy({ [hook]: throwing });
    await expectFailure("POST", path, secret);
    expect((await call("GET", `${path}/a`)).code).toBe(404);
  },
);

test.each([
  ["PUT", `${path}/a`, secret, undefined],
  ["PATCH", `${path}/a`, { data: { b: "c" } }, "application/merge-patch+json"],
  [
    "PATCH",
    `${path}/a?fieldManager=m`,
    { apiVersion: "v1", kind: "ConfigMap", data: {} },
    "application/apply-patch+yaml",
  ],
] as const)("a strategy that throws in %s of %s changes nothing", async (method, at, body, type) => {
  await call("POST", path, { metadata: { name: "a" }, data: { kept: "yes" } });
  plantStrategy({ validateUpdate: throwing });
  await expectFailure(method, at, body, type);
  expect((await call("GET", `${path}/a`)).body).toMatchObject({ data: { kept: "yes" } });
});

test("a strategy that throws in a deletion deletes nothing", async () => {
  await call("POST", path, { metadata: { name: "a" } });
  plantStrategy({ beforeDelete: throwing });
  await expectFailure("DELETE", `${path}/a`);
  expect((await call("GET", `${path}/a`)).code).toBe(200);
});

test("reads fail as a whole when an object can't be shown", async () => {
  await call("POST", path, { metadata: { name: "a" } });
  plant({ present: throwing, presentAll: throwing });
  await expectFailure("GET", `${path}/a`);
  reported = [];
  await expectFailure("GET", path);
  expect(cluster.core.store.collection("configmaps").get("default/a")).toBeDefined();
});

test("a watch whose initial objects can't be shown ends with a Status", async () => {
  await call("POST", path, { metadata: { name: "a" } });
  plant({ presentAll: throwing });
  const watch = await openWatch(cluster.kubeconfig, `${path}?watch=1`);
  await watch.ended;
  expect(watch.events).toMatchObject([{ type: "ERROR", object: internal }]);
  expect(reported.map(({ message }) => message)).toEqual([`GET ${path}?watch=1 of kubernetes-admin failed`]);
});

test("a watch ends with a Status at a change that can't be shown, so that its client lists again", async () => {
  const before = cluster.core.registry.find("", "configmaps")!;
  plant({
    present: (entry, version) => (entry.key.endsWith("/bad") ? throwing() : before.present(entry, version)),
  });
  const watch = await openWatch(
    cluster.kubeconfig,
    `${path}?watch=1&resourceVersion=${cluster.core.store.revision}`,
  );
  await call("POST", path, { metadata: { name: "good" } });
  await call("POST", path, { metadata: { name: "bad" } });
  await watch.ended;
  expect(watch.events).toMatchObject([{ type: "ADDED" }, { type: "ERROR", object: internal }]);
});

test("an error outside the filters is answered by a Status, too", async () => {
  const server = createServer(
    serve({ handler: throwing, report: (error) => reported.push(error as Error), slices: new TimeSlices() }),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api`);
  expect([response.status, await response.json()]).toMatchObject([500, internal]);
  expect(reported.map(({ message }) => message)).toEqual(["GET /api of system:anonymous failed"]);
  server.close();
  server.closeAllConnections();
});

test("a client that disconnects within its body is no error of the server", async () => {
  const { hostname, port } = new URL(cluster.url);
  const token = cluster.kubeconfig.users[0].user.token!;
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 100\r\n\r\n{`,
  );
  await new Promise((resolve) => socket.once("secureConnect", resolve));
  await call("GET", "/readyz");
  socket.destroy();
  await cluster.stop();
  expect(reported).toEqual([]);
});

import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type InProcessCluster, startInProcess } from "./start-in-process.ts";

let cluster: InProcessCluster;
const tokens = { secret: { name: "alice", groups: ["system:masters"] } };
const onError = (error: unknown): never => {
  throw error;
};

beforeAll(async () => {
  cluster = await startInProcess({ tokens, onError });
});
afterAll(() => cluster.stop());

const path = "/api/v1/namespaces/default/configmaps";
const authorization = "Bearer secret";

async function call(method: string, target: string, body?: object, on = cluster) {
  const headers = { authorization, "content-type": "application/json" };
  const response = await on.handle({ method, path: target, headers, body: body && JSON.stringify(body) });
  return {
    status: response.status,
    headers: response.headers,
    object: JSON.parse(response.body.toString()),
  };
}

test("a request is handled like one that a socket brought", async () => {
  const created = await call("POST", path, { metadata: { name: "one" }, data: { a: "ä" } });
  expect(created).toMatchObject({ status: 201, headers: { "content-type": "application/json" } });
  expect(await call("GET", `${path}/one`)).toMatchObject({ status: 200, object: { data: { a: "ä" } } });
  const { status } = await cluster.handle({ method: "GET", path: `${path}/one`, headers: {} });
  expect(status).toBe(403);
});

test("a body has the limit of a real server", async () => {
  const large = { metadata: { name: "large" }, data: { a: "a".repeat(4 * 1024 * 1024) } };
  expect(await call("POST", path, large)).toMatchObject({ status: 413 });
});

test("a repeated header has all its values", async () => {
  const impersonated = { "impersonate-user": "bob", "impersonate-group": ["one", "two, three"] };
  const { body } = await cluster.handle({
    method: "POST",
    path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    headers: { authorization, "content-type": "application/json", ...impersonated },
    body: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }),
  });
  expect(JSON.parse(body.toString()).status.userInfo).toMatchObject({
    username: "bob",
    groups: ["one", "two, three", "system:authenticated"],
  });
});

test("a token is none of what every object has", async () => {
  for (const token of ["constructor", "toString", "__proto__"]) {
    const headers = { authorization: `Bearer ${token}` };
    expect((await cluster.handle({ method: "GET", path, headers })).status).toBe(401);
  }
});

test("a watch is read while it is written, and ends when its stream is destroyed", async () => {
  const { stream } = await cluster.handle({
    method: "GET",
    path: `${path}?watch=1`,
    headers: { authorization },
  });
  const chunks = stream![Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const next = chunks.next();
  await call("POST", path, { metadata: { name: "two" } });
  expect(String((await next).value)).toContain('"type":"ADDED"');
  await chunks.return!();
  expect(stream!.destroyed).toBe(true);
});

test("a watch that fails tells those that read it late, too", async () => {
  const reported: unknown[] = [];
  const other = await startInProcess({ tokens, onError: (error) => reported.push(error) });
  await call("POST", path, { metadata: { name: "bad" } }, other);
  const { registry } = other.core;
  const configMaps = registry.find("", "configmaps")!;
  registry.add({
    ...configMaps,
    presentAll: () => {
      throw new Error("no luck");
    },
  });
  const { stream } = await other.handle({
    method: "GET",
    path: `${path}?watch=1`,
    headers: { authorization },
  });
  await vi.waitFor(() => expect(reported).toHaveLength(1));
  await new Promise(setImmediate);
  const lines = Buffer.concat(await stream!.toArray()).toString();
  expect(lines).toContain('"type":"ERROR"');
  await other.stop();
});

test("a cluster starts from the state of another one, at its revision", async () => {
  await call("POST", path, { metadata: { name: "three" } });
  const state = cluster.snapshot();
  const copy = await startInProcess({ tokens, onError, state });
  expect(await call("GET", `${path}/three`, undefined, copy)).toMatchObject({ status: 200 });
  const { object } = await call("POST", path, { metadata: { name: "four" } }, copy);
  expect(Number(object.metadata.resourceVersion)).toBeGreaterThan(state.revision);
  expect(await call("GET", `${path}/four`)).toMatchObject({ status: 404 });
  await copy.stop();
});

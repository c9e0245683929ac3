import { connect } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { send } from "../testing/send.ts";
import { startTestCluster, type TestCluster } from "../testing/index.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster.stop());

const configMaps = "/api/v1/namespaces/default/configmaps";

/** The server must still be ready after each bad request. */
async function readiness(): Promise<string> {
  return (await send(cluster.kubeconfig, { method: "GET", path: "/readyz" })).text;
}

test.each([
  ["cut off", '{"metadata":{"name":"a"'],
  ["not JSON", "\u0000\u0001"],
  ["deep", "[".repeat(100_000)],
  ["of another shape", '{"metadata":[[[]]]}'],
  ["with a prototype", '{"__proto__":{"polluted":true},"metadata":{"name":"p","labels":{"__proto__":"x"}}}'],
])("a JSON body that is %s is a client's error", async (_, body) => {
  const { code, body: status } = await send(cluster.kubeconfig, { method: "POST", path: configMaps, body });
  expect(code).toBeGreaterThanOrEqual(201);
  expect(code).toBeLessThan(500);
  expect(status).toMatchObject({ apiVersion: "v1" });
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  expect(await readiness()).toBe("ok");
});

test("an unknown field that is named __proto__ is dropped as others are", async () => {
  const body = '{"__proto__":{"a":1},"constructor":1,"metadata":{"name":"dropped"}}';
  const { text } = await send(cluster.kubeconfig, { method: "POST", path: configMaps, body });
  expect(Object.keys(JSON.parse(text) as object).toSorted()).toEqual(["apiVersion", "kind", "metadata"]);
});

test("a YAML bomb is refused before it expands", async () => {
  const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
  for (let level = 1; level < 10; level++) {
    lines.push(`a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(", ")}]`);
  }
  const headers = { "Content-Type": "application/yaml" };
  const { code } = await send(cluster.kubeconfig, {
    method: "POST",
    path: configMaps,
    headers,
    body: lines.join("\n"),
  });
  expect(code).toBe(400);
  expect(await readiness()).toBe("ok");
});

test.each([
  ["nested lists in YAML", "[".repeat(5000) + "]".repeat(5000), "application/yaml"],
  ["nested maps in YAML", "{a: ".repeat(5000) + "}".repeat(5000), "application/yaml"],
  ["nested items in YAML", "- ".repeat(5000), "application/yaml"],
  ["an anchor in itself", "a: &a [*a]", "application/yaml"],
  ["nested lists in JSON", "[".repeat(20_000), "application/json"],
  ["nested maps that are applied", "{a: ".repeat(5000) + "}".repeat(5000), "application/apply-patch+yaml"],
])("a body without an end is refused in Kubernetes' words: %s", async (_, body, type) => {
  const isPatch = type.includes("patch");
  const { code, body: status } = await send(cluster.kubeconfig, {
    method: isPatch ? "PATCH" : "POST",
    path: isPatch ? `${configMaps}/a?fieldManager=m` : configMaps,
    headers: { "Content-Type": type },
    body,
  });
  expect(code).toBe(400);
  const { message } = status as { message: string };
  expect(message).toMatch(/contains itself|max depth/u);
  expect(message).not.toMatch(/call stack|RangeError|undefined/u);
});

test("the message about JSON that is too deep names the character at which it is", async () => {
  const body = `{"data":${"[".repeat(11_000)}${"]".repeat(11_000)}}`;
  const answer = await send(cluster.kubeconfig, { method: "POST", path: configMaps, body });
  expect((answer.body as { message: string }).message).toContain(
    "json parse error: invalid character '[' exceeded max depth",
  );
});

test("a body of four megabytes is too large", async () => {
  const body = JSON.stringify({ metadata: { name: "big" }, data: { k: "x".repeat(4 * 1024 * 1024) } });
  const answer = await send(cluster.kubeconfig, { method: "POST", path: configMaps, body });
  expect(answer.body).toMatchObject({ code: 413, reason: "RequestEntityTooLarge" });
  expect(await readiness()).toBe("ok");
});

test.each([
  "/api/v1/namespaces/../secrets",
  "/api/v1/namespaces/%2e%2e/secrets",
  "/api/v1/namespaces/default/configmaps/%2Fetc",
  "/api/v1/namespaces/default/configmaps/%",
  "/apis//v1/x",
  "/api/v1/namespaces/default/configmaps/__proto__",
  "/apis/__proto__/v1/constructor",
  "//api//v1//pods",
  `/api/v1/namespaces/${"n".repeat(8000)}/configmaps`,
  "/api/v1/pods?labelSelector=%00&fieldSelector=%ff",
])("the path %s is not answered with a server error", async (path) => {
  const { code } = await send(cluster.kubeconfig, { method: "GET", path });
  expect(code).toBeLessThan(500);
  expect(await readiness()).toBe("ok");
});

const flood = async (count: number, size: number) => {
  const headers: Record<string, string> = {};
  for (let index = 0; index < count; index++) headers[`X-Flood-${index}`] = "x".repeat(size);
  return send(cluster.kubeconfig, { method: "GET", path: "/api", headers });
};

test.each([
  ["2,500 headers", 2500, 20],
  ["200 kB of headers", 200, 1000],
])("%s are accepted, as by Go's server", async (_, count, size) => {
  expect(await flood(count, size)).toMatchObject({ code: 200, body: { kind: "APIVersions" } });
});

test("more than a mebibyte of headers is refused as by Go's server", async () => {
  const refused = { code: 431, text: "431 Request Header Fields Too Large" };
  expect(await flood(2000, 1000)).toMatchObject(refused);
  expect(await readiness()).toBe("ok");
});

test("bytes that are not HTTP end only their own connection", async () => {
  const { port } = new URL(cluster.url);
  await new Promise<void>((resolve) => {
    const socket = connect({ host: "127.0.0.1", port: Number(port), rejectUnauthorized: false }, () => {
      socket.write("\u0016\u0003 nonsense\r\n\r\n");
    });
    socket.on("close", () => resolve());
    socket.on("error", () => undefined);
    socket.resume();
  });
  expect(await readiness()).toBe("ok");
});

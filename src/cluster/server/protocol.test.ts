import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { send } from "../testing/send.ts";
import { startTestCluster, type TestCluster } from "../testing/index.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
  await cluster.install({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p" },
    spec: { containers: [{ name: "c", image: "i" }] },
  });
});
afterAll(() => cluster.stop());

const get = (path: string, headers = {}) => send(cluster.kubeconfig, { method: "GET", path, headers });
const pods = "/api/v1/namespaces/default/pods";

test.each([
  ["GET", "log", "has no logs"],
  ["POST", "exec?command=ls", "can't run commands"],
  ["POST", "attach", "has no process to attach to"],
  ["POST", "portforward", "has no ports to forward"],
  ["GET", "proxy/index.html", "can't be connected to"],
])("%s of a pod's %s says that containers don't run", async (method, subresource, why) => {
  const { body } = await send(cluster.kubeconfig, { method, path: `${pods}/p/${subresource}` });
  expect(body).toMatchObject({
    kind: "Status",
    code: 400,
    reason: "BadRequest",
    message: `containers don't run in the embedded cluster, so pod "p" ${why}: use a cluster with nodes, such as kind`,
  });
});

test("the logs of a missing pod are not found", async () => {
  const { body } = await get(`${pods}/missing/log`);
  expect(body).toMatchObject({ code: 404, message: 'pods "missing" not found' });
});

test("a GET at a future revision times out, whether the object exists or not", async () => {
  for (const name of ["p", "missing"]) {
    const { body } = await get(`${pods}/${name}?resourceVersion=999999999`);
    expect(body).toMatchObject({
      code: 504,
      reason: "Timeout",
      message: `Timeout: Too large resource version: 999999999, current: ${cluster.core.store.revision}`,
    });
  }
});

test.each(["/api", "/apis", "/api/v1", "/apis/apps", "/apis/apps/v1"])(
  "%s is the same in YAML as in JSON",
  async (path) => {
    const { headers, text } = await get(path, { Accept: "application/yaml" });
    expect(headers["content-type"]).toBe("application/yaml");
    expect(parse(text)).toEqual((await get(path)).body);
  },
);

test("errors are in YAML for clients that prefer it", async () => {
  const { text } = await get(`${pods}/missing`, { Accept: "application/yaml" });
  expect(parse(text)).toMatchObject({ kind: "Status", code: 404 });
});

test("every path of the index is served", async () => {
  const { paths } = (await get("/")).body as { paths: string[] };
  expect(paths).toEqual(paths.toSorted());
  expect(paths).toEqual(expect.arrayContaining(["/api/v1", "/apis/apps/v1", "/readyz", "/version"]));
  const codes = await Promise.all(paths.map(async (path) => [path, (await get(path)).code]));
  expect(codes.filter(([, code]) => code !== 200)).toEqual([]);
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { encodeProtobuf } from "../../../e2e/support/cluster/encode-protobuf.ts";
import { send } from "../testing/send.ts";
import { startTestCluster, type TestCluster } from "../testing/index.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster.stop());

/** Sends an object as Go's typed clients do. */
async function call(method: string, path: string, object: { apiVersion: string; kind: string }) {
  return send(cluster.kubeconfig, {
    method,
    path,
    headers: {
      "Content-Type": "application/vnd.kubernetes.protobuf",
      Accept: "application/vnd.kubernetes.protobuf,application/json",
    },
    body: (await encodeProtobuf(object))!,
  });
}

const configMap = (name: string, data: Record<string, string>) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data,
});

test("protobuf bodies create and replace objects", async () => {
  const path = "/api/v1/namespaces/default/configmaps";
  const created = await call("POST", path, configMap("a", { k: "v" }));
  expect(created).toMatchObject({ code: 201, body: { metadata: { name: "a" }, data: { k: "v" } } });
  const replaced = await call("PUT", `${path}/a`, configMap("a", { k: "w" }));
  expect(replaced).toMatchObject({ code: 200, body: { data: { k: "w" } } });
});

test("delete options in protobuf are applied", async () => {
  const path = "/api/v1/namespaces/default/configmaps";
  await call("POST", path, configMap("b", {}));
  const options = { apiVersion: "v1", kind: "DeleteOptions", preconditions: { uid: "another" } };
  expect((await call("DELETE", `${path}/b`, options)).code).toBe(409);
});

test("a review in protobuf is answered", async () => {
  const review = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes: { verb: "get", resource: "pods" } },
  };
  const answer = await call("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review);
  expect(answer).toMatchObject({ code: 201, body: { status: { allowed: true } } });
});

test("a body that is not a protobuf message is a bad request", async () => {
  const answer = await send(cluster.kubeconfig, {
    method: "POST",
    path: "/api/v1/namespaces/default/configmaps",
    headers: { "Content-Type": "application/vnd.kubernetes.protobuf" },
    body: Buffer.from("k8s\0\x0a\xff", "latin1"),
  });
  expect(answer).toMatchObject({ code: 400, body: { reason: "BadRequest" } });
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "../../../testing/index.ts";
import { send } from "../../../testing/send.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster.stop());

const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const patch = (endpoint: string, body: object) =>
  send(cluster.kubeconfig, {
    method: "PATCH",
    path: `${path}/${endpoint}`,
    headers: { "Content-Type": "application/merge-patch+json" },
    body,
  });
const condition = (type: string) => ({ type, status: "True", reason: "Checked" });

test("a CertificateSigningRequest records its requester, and only its approval subresource approves it", async () => {
  const created = await send(cluster.kubeconfig, {
    method: "POST",
    path,
    body: {
      metadata: { name: "c" },
      spec: { request: "YQ==", signerName: "example.com/s", usages: ["client auth"], username: "me" },
      status: { conditions: [condition("Approved")] },
    },
  });
  expect(created.body).toMatchObject({ spec: { username: "kubernetes-admin" }, status: {} });
  expect(created.body).not.toHaveProperty("status.conditions");

  const sneaked = await patch("c/status", { status: { conditions: [condition("Approved")] } });
  expect(sneaked.body).toMatchObject({
    code: 422,
    message: expect.stringContaining('updates may not add a condition of type "Approved"') as string,
  });
  const approved = await patch("c/approval", {
    spec: { signerName: "other.example.com/s" },
    status: { conditions: [condition("Approved")], certificate: "YQ==" },
  });
  expect(approved.body).toMatchObject({
    spec: { signerName: "example.com/s" },
    status: { conditions: [{ type: "Approved", lastTransitionTime: expect.any(String) as string }] },
  });
  expect(approved.body).not.toHaveProperty("status.certificate");

  const taken = await patch("c/approval", { status: { conditions: [] } });
  expect(taken.body).toMatchObject({
    message: expect.stringContaining('updates may not remove a condition of type "Approved"') as string,
  });
  const both = await patch("c/approval", { status: { conditions: ["Approved", "Denied"].map(condition) } });
  expect(both.body).toMatchObject({
    message: expect.stringContaining("Approved and Denied conditions are mutually exclusive") as string,
  });
  const signed = await patch("c/status", { status: { certificate: "YQ==" } });
  expect(signed.body).toMatchObject({
    status: { certificate: "YQ==", conditions: [{ type: "Approved" }] },
  });
});

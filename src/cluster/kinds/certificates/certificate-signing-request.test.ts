import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "../../testing/index.ts";
import { send } from "../../testing/send.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster.stop());

/** A request with a valid signature. */
const request =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISE1HNENBUUF3RERFS01BZ0dBMVVFQXd3QllUQlpNQk1HQnlxR1NNNDlBZ0VHQ0NxR1NNNDlBd0VIQTBJQQpCUDBKWmZIdjVYOWJ2MWpma1Zoc1A4YnpxZVYrMkkvZGpSeWZmWnBzdEkrVU94UlNRNm5uY20wMWZIREgxOHRhCkZoZGNwb3ZvbjZHT2tWZ3hXZ3dZbU9HZ0FEQUtCZ2dxaGtqT1BRUURBZ05KQURCR0FpRUExbGZYUEt2UU14N3UKdENnUlpQbGx6ZWQ0T3cyRVZ0cE9Bc25qSmtMN2NhOENJUUQ5UjR0bFoxNnRwZktOUFh3K3lMWlFrdnk3cS9LRApVMjdOTkRqYlhTSmFJZz09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=";
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
      spec: { request, signerName: "example.com/s", usages: ["client auth"], username: "me" },
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
  const odd = [{ type: "Approved", status: "False" }, { type: "", status: "Odd" }, { type: "Own" }];
  expect((await patch("c/approval", { status: { conditions: odd } })).body).toMatchObject({
    message:
      'CertificateSigningRequest.certificates.k8s.io "c" is invalid: [status.conditions[0].status: Unsupported value: "False": supported values: "True", status.conditions[1].type: Required value, status.conditions[1].status: Unsupported value: "Odd": supported values: "False", "True", "Unknown", status.conditions[2].status: Required value]',
  });
  const refused = await patch("c/status", { status: { certificate: "YQ==" } });
  expect(refused.body).toMatchObject({
    message: expect.stringContaining("must contain at least one CERTIFICATE PEM block") as string,
  });
  const certificate = cluster.kubeconfig.clusters[0].cluster["certificate-authority-data"];
  const signed = await patch("c/status", { status: { certificate } });
  expect(signed.body).toMatchObject({
    status: { certificate, conditions: [{ type: "Approved" }] },
  });
  const again = await patch("c/status", { status: { certificate: null } });
  expect(again.body).toMatchObject({
    message: expect.stringContaining("updates may not modify existing certificate content") as string,
  });
});

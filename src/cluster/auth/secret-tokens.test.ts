import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "../testing/index.ts";
import { send } from "../testing/send.ts";

let cluster: TestCluster;
beforeEach(async () => {
  cluster = await startTestCluster({ controllers: ["serviceaccount"] });
  await cluster.install({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } });
});
afterEach(() => cluster.stop());

const secretsPath = "/api/v1/namespaces/default/secrets";
const accountsPath = "/api/v1/namespaces/default/serviceaccounts";

interface Secret {
  metadata: { annotations: Record<string, string> };
  data?: Record<string, string>;
}

const call = (method: string, path: string, body?: unknown) =>
  send(cluster.kubeconfig, { method, path, body });

const createSecret = (account: string) =>
  call("POST", secretsPath, {
    metadata: { name: "token", annotations: { "kubernetes.io/service-account.name": account } },
    type: "kubernetes.io/service-account-token",
  });

const readSecret = async () => {
  const { code, body } = await call("GET", `${secretsPath}/token`);
  return code === 200 ? (body as Secret) : undefined;
};

const text = (encoded = "") => Buffer.from(encoded, "base64").toString("utf8");

async function filledToken(): Promise<string> {
  await expect.poll(async () => (await readSecret())?.data?.["token"]).toBeTruthy();
  return text((await readSecret())!.data!["token"]);
}

async function whoIs(token: string): Promise<{ code: number; name?: string }> {
  const kubeconfig = structuredClone(cluster.kubeconfig);
  kubeconfig.users[0].user = { token };
  const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  const { code, body } = await send(kubeconfig, { method: "POST", path, body: {} });
  const { status } = body as { status?: { userInfo?: { username: string } } };
  return { code, ...(status?.userInfo && { name: status.userInfo.username }) };
}

test("a Secret for a service account gets a token of that account", async () => {
  await createSecret("robot");
  const token = await filledToken();
  const { data, metadata } = (await readSecret())!;
  const account = (await call("GET", `${accountsPath}/robot`)).body as { metadata: { uid: string } };
  expect(text(data!["namespace"])).toBe("default");
  expect(text(data!["ca.crt"])).toContain("BEGIN CERTIFICATE");
  expect(metadata.annotations["kubernetes.io/service-account.uid"]).toBe(account.metadata.uid);
  expect(await whoIs(token)).toEqual({ code: 201, name: "system:serviceaccount:default:robot" });
});

test("the token is valid while its Secret holds it", async () => {
  await createSecret("robot");
  const token = await filledToken();
  const forged = `${token.slice(0, -4)}AAAA`;
  expect((await whoIs(forged)).code).toBe(401);
  await call("DELETE", `${secretsPath}/token`);
  expect((await whoIs(token)).code).toBe(401);
});

test("a Secret is deleted with its account, and at once if the account does not exist", async () => {
  await createSecret("robot");
  const token = await filledToken();
  await call("DELETE", `${accountsPath}/robot`);
  await expect.poll(readSecret).toBeUndefined();
  expect((await whoIs(token)).code).toBe(401);
  await createSecret("nobody");
  await expect.poll(readSecret).toBeUndefined();
});

test("a Secret whose token was removed gets a new one", async () => {
  await createSecret("robot");
  const first = await filledToken();
  const patch = {
    method: "PATCH",
    path: `${secretsPath}/token`,
    body: { data: { token: null, extra: "eA==" } },
  };
  await send(cluster.kubeconfig, { ...patch, headers: { "Content-Type": "application/merge-patch+json" } });
  const second = await filledToken();
  expect((await readSecret())!.data!["extra"]).toBe("eA==");
  expect((await whoIs(second)).name).toBe("system:serviceaccount:default:robot");
  // Each token has another signature, so the Secret no longer holds the first one.
  expect(second).not.toBe(first);
  expect((await whoIs(first)).code).toBe(401);
});

test("a Secret that is restored with its account stays, and its token is valid again", async () => {
  await createSecret("robot");
  const token = await filledToken();
  const before = cluster.snapshot();
  await call("DELETE", `${accountsPath}/robot`);
  await expect.poll(readSecret).toBeUndefined();
  cluster.restore(before);
  // A later Secret of another account is deleted after whatever was wanted of this one.
  await call("POST", secretsPath, {
    metadata: { name: "later", annotations: { "kubernetes.io/service-account.name": "nobody" } },
    type: "kubernetes.io/service-account-token",
  });
  await expect.poll(async () => (await call("GET", `${secretsPath}/later`)).code).toBe(404);
  expect(await whoIs(token)).toEqual({ code: 201, name: "system:serviceaccount:default:robot" });
});

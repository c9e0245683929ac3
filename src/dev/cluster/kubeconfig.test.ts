import { type Client, createClient, loadConfig } from "@tsbuilder/runtime";
import { consistently, eventually } from "@tsbuilder/runtime/testing";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { accountConfig, type MinimalConfig } from "./kubeconfig.ts";

// The operator's identity on a cluster where the user is not an administrator.

const account = { namespace: "default", name: "controller-manager" };
const written = new Map<string, string>();
const write = (name: string, content: string): string => {
  written.set(name, content);
  return `/files/${name}`;
};
let cluster: TestCluster;
let ended: AbortController;

beforeAll(async () => {
  cluster = await startTestCluster();
  await cluster.install({
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: account,
  });
});

afterAll(() => cluster.stop());

beforeEach(() => {
  ended = new AbortController();
  written.clear();
});

afterEach(() => ended.abort());

test("a user who may request tokens of the ServiceAccount gets a token file", async () => {
  const { client, config } = await userWith("token-maker", {
    apiGroups: [""],
    resources: ["serviceaccounts/token"],
    verbs: ["create"],
  });
  const own = await accountConfig(client, config, account, { write, signal: ended.signal });
  expect(own.users[0].user).toEqual({ tokenFile: "/files/operator.token" });
  const token = written.get("operator.token")!;
  expect(await whoIs({ ...own, users: [{ ...own.users[0], user: { token } }] })).toBe(
    "system:serviceaccount:default:controller-manager",
  );
  await client.close();
});

test("a user who may only impersonate it does so", async () => {
  const { client, config } = await userWith("impersonator", {
    apiGroups: [""],
    resources: ["serviceaccounts", "groups"],
    verbs: ["impersonate"],
  });
  const own = await accountConfig(client, config, account, { write, signal: ended.signal });
  expect(await whoIs(own)).toBe("system:serviceaccount:default:controller-manager");
  expect([...written.keys()]).toEqual([]);
  await client.close();
});

test("a user who may do neither gets a hint which permission to ask for", async () => {
  const { client, config } = await userWith("nobody", {
    apiGroups: [""],
    resources: ["pods"],
    verbs: ["get"],
  });
  await expect(accountConfig(client, config, account, { write, signal: ended.signal })).rejects.toMatchObject(
    {
      code: "REFUSED",
      message:
        'you may neither request a token for ServiceAccount "controller-manager" in "default" nor impersonate it',
      hint: expect.stringContaining("create serviceaccounts/token"),
    },
  );
  await client.close();
});

test("a token is renewed when half of its life is over, again after a failure, until the session ends", async () => {
  const server = tokenServer([{ lives: 40 }, "down", { lives: 40 }, { lives: 40 }]);
  await accountConfig(server.client, minimal({}), account, { write, signal: ended.signal, retry: 5 });
  expect(written.get("operator.token")).toBe("token 1");
  await eventually(() => expect(written.get("operator.token")).toBe("token 4"));
  ended.abort();
  const asked = server.asked();
  await consistently(() => expect(server.asked()).toBe(asked), { timeout: 200 });
});

test("a wrong clock causes no busy loop of renewals", async () => {
  const server = tokenServer([{ lives: -3_600_000 }]);
  await accountConfig(server.client, minimal({}), account, { write, signal: ended.signal });
  await consistently(() => expect(server.asked()).toBe(1), { timeout: 200 });
});

/** A user with a single RBAC rule, as in the kubeconfig that dev reads. */
async function userWith(
  name: string,
  rule: object,
): Promise<{ client: ReturnType<typeof createClient>; config: MinimalConfig }> {
  const api = "rbac.authorization.k8s.io";
  await cluster.install(
    { apiVersion: `${api}/v1`, kind: "ClusterRole", metadata: { name }, rules: [rule] },
    {
      apiVersion: `${api}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name },
      roleRef: { apiGroup: api, kind: "ClusterRole", name },
      subjects: [{ apiGroup: api, kind: "User", name }],
    },
  );
  const config = cluster.addUser(name, ["system:authenticated"]) as unknown as MinimalConfig;
  return { client: createClient(await loadConfig({ kubeconfig: config, env: {} })), config };
}

async function whoIs(config: MinimalConfig): Promise<string> {
  const client = createClient(await loadConfig({ kubeconfig: config, env: {} }));
  const { text } = await client.request({
    method: "POST",
    path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
  });
  await client.close();
  return (JSON.parse(text) as { status: { userInfo: { username: string } } }).status.userInfo.username;
}

/** Responds to token requests one after the other, and repeats the last response. */
function tokenServer(answers: readonly ({ readonly lives: number } | "down")[]) {
  let asked = 0;
  const request = async () => {
    const answer = answers[Math.min(asked, answers.length - 1)]!;
    asked += 1;
    if (answer === "down") throw new Error("the server is unavailable");
    const expirationTimestamp = new Date(Date.now() + answer.lives).toISOString();
    return { text: JSON.stringify({ status: { token: `token ${asked}`, expirationTimestamp } }) };
  };
  return { client: { request } as unknown as Client, asked: () => asked };
}

function minimal(user: object): MinimalConfig {
  return {
    clusters: [{ name: "there", cluster: { server: "https://127.0.0.1:1" } }],
    users: [{ name: "me", user }],
    contexts: [{ name: "there", context: { cluster: "there" } }],
    "current-context": "there",
  };
}

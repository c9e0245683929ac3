import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { inspect } from "node:util";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { expect, onTestFinished, test } from "vitest";
import { inClusterConfig, isInCluster, loadConfig, podNamespace } from "./load-config.ts";
import type { KubeconfigFile, KubeconfigUser } from "./kubeconfig-file.ts";
import { TerminalError } from "../errors/api-error.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "kubeconfig-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

function kubeconfig(name: string, user: KubeconfigUser = {}): KubeconfigFile {
  return {
    "current-context": name,
    clusters: [{ name, cluster: { server: `https://${name}:6443` } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: `ns-${name}` } }],
  };
}

function write(path: string, content: unknown): string {
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

test("loadConfig() takes the flag before KUBECONFIG before the home directory", async () => {
  const home = folder();
  mkdirSync(join(home, ".kube"));
  write(join(home, ".kube", "config"), kubeconfig("home"));
  const flag = write(join(home, "flag"), kubeconfig("flag"));
  const kubeconfigFile = write(join(home, "env"), kubeconfig("env"));
  const server = async (options: object): Promise<string> => (await loadConfig(options)).server;
  expect(await server({ kubeconfig: flag, env: { KUBECONFIG: kubeconfigFile, HOME: home } })).toBe(
    "https://flag:6443",
  );
  expect(await server({ env: { KUBECONFIG: kubeconfigFile, HOME: home } })).toBe("https://env:6443");
  expect(await server({ env: { HOME: home } })).toBe("https://home:6443");
});

test("loadConfig() lists where it looked if there is no config", async () => {
  const home = folder();
  await expect(loadConfig({ env: { HOME: home } })).rejects.toThrow(/no cluster config found.*KUBECONFIG/);
  const missing = loadConfig({ kubeconfig: join(home, "missing"), env: {} });
  await expect(missing).rejects.toThrow(/can't be read.*ENOENT/);
});

test.for([
  ["a text", "hello", "holds no clusters"],
  ["a list", "[]", "holds no clusters"],
  ["clusters that are a mapping", "clusters: {a: b}", "clusters must be a list"],
  ["a context of another type", "contexts: [{name: c, context: dev}]", "contexts[0] has no context"],
  ["what isn't YAML", "users: [{token: s3cret ]", "it isn't valid YAML (line 1, column 2"],
  ["nothing", "", "has no current context"],
  [
    "a context without content",
    "current-context: c\ncontexts: [{name: c, context: null}]",
    'no cluster "undefined"',
  ],
] as const)("loadConfig() reports what is wrong with %s", async ([, text, message]) => {
  const path = write(join(folder(), "config"), text);
  const error: unknown = await loadConfig({ kubeconfig: path, env: {} }).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(TerminalError);
  expect((error as Error).message).toContain(message);
  expect((error as Error).message).toContain(path);
  expect(inspect(error)).not.toContain("s3cret");
});

test.for([
  [{ server: "10.0.0.1:6443" }, "http://10.0.0.1:6443"],
  [{ server: "api.example.com:6443", "insecure-skip-tls-verify": true }, "https://api.example.com:6443"],
  [{ server: "localhost:8001", "certificate-authority": "ca.crt" }, "https://localhost:8001"],
] as const)(
  "loadConfig() completes an address without a scheme as client-go does: %o",
  async ([cluster, server]) => {
    const file = kubeconfig("dev");
    const config = await loadConfig({
      kubeconfig: { ...file, clusters: [{ name: "dev", cluster }] },
      env: {},
    });
    expect(config.server).toBe(server);
  },
);

test.for([
  [{ server: "https://[::" }, 'has the server "https://[::"'],
  [{ server: "ftp://10.0.0.1" }, 'has the server "ftp://10.0.0.1"'],
  [{ server: "https://api", "proxy-url": "socks4://proxy:1080" }, 'has the proxy-url "socks4://proxy:1080"'],
  [{ server: "https://api", "proxy-url": "proxy:3128" }, 'has the proxy-url "proxy:3128"'],
] as const)("loadConfig() rejects an unusable address: %o", async ([cluster, message]) => {
  const file = kubeconfig("dev");
  const config = loadConfig({ kubeconfig: { ...file, clusters: [{ name: "dev", cluster }] }, env: {} });
  await expect(config).rejects.toThrow(message);
  await expect(config).rejects.toBeInstanceOf(TerminalError);
});

test("loadConfig() uses HTTP for a proxy in the environment without a scheme", async () => {
  const env = { HTTPS_PROXY: "proxy:3128" };
  expect((await loadConfig({ kubeconfig: kubeconfig("dev"), env })).proxyUrl).toBe("http://proxy:3128");
});

test("loadConfig() reads YAML", async () => {
  const yaml = `
apiVersion: v1
kind: Config
current-context: dev
clusters:
- name: c
  cluster: {server: "http://127.0.0.1:8001"}
contexts:
- name: dev
  context: {cluster: c}
`;
  const config = await loadConfig({ kubeconfig: write(join(folder(), "config"), yaml) });
  expect(config).toMatchObject({ server: "http://127.0.0.1:8001", credentials: undefined });
});

test("loadConfig() merges the files of KUBECONFIG; the first value wins", async () => {
  const home = folder();
  const a = write(join(home, "a"), { ...kubeconfig("a"), "current-context": undefined });
  const clusters = [{ name: "a", cluster: { server: "https://other" } }, ...kubeconfig("b").clusters!];
  const b = write(join(home, "b"), { ...kubeconfig("b"), clusters });
  const env = { KUBECONFIG: [a, join(home, "missing"), b].join(delimiter) };
  expect(await loadConfig({ env })).toMatchObject({ server: "https://b:6443", namespace: "ns-b" });
  expect(await loadConfig({ env, context: "a" })).toMatchObject({ server: "https://a:6443" });
});

test("loadConfig() lists the contexts", async () => {
  const missing = loadConfig({ kubeconfig: kubeconfig("a"), context: "prod" });
  await expect(missing).rejects.toThrow('there is no context "prod" in the given kubeconfig; it has "a"');
});

test("loadConfig() resolves paths against the file, and data wins over a path", async () => {
  const home = folder();
  write(join(home, "ca.crt"), "file-ca");
  write(join(home, "tls.crt"), "file-cert");
  const data = Buffer.from("data-key").toString("base64");
  const user = { "client-certificate": "tls.crt", "client-key": "nowhere", "client-key-data": data };
  const file = kubeconfig("a", user);
  const cluster = { server: "https://a", "certificate-authority": "ca.crt", "tls-server-name": "api" };
  const path = write(join(home, "config"), { ...file, clusters: [{ name: "a", cluster }] });
  const config = await loadConfig({ kubeconfig: path });
  expect(config).toMatchObject({ caFile: join(home, "ca.crt"), tlsServerName: "api" });
  expect(await config.credentials?.current({ refresh: false })).toEqual({
    cert: "file-cert",
    key: "data-key",
  });
});

test("loadConfig() finds a credential program beside the kubeconfig", async () => {
  const home = folder();
  const apiVersion = "client.authentication.k8s.io/v1";
  const answer = JSON.stringify({ apiVersion, kind: "ExecCredential", status: { token: "t" } });
  chmodSync(write(join(home, "login"), `#!/bin/sh\necho '${answer}'\n`), 0o755);
  const path = write(join(home, "config"), kubeconfig("a", { exec: { apiVersion, command: "./login" } }));
  const { credentials } = await loadConfig({ kubeconfig: path });
  expect(await credentials?.current({ refresh: false })).toEqual({ token: "t" });
});

test("loadConfig() reads a token file again, immediately after a 401", async () => {
  const home = folder();
  const tokenFile = write(join(home, "token"), "one\n");
  const { credentials } = await loadConfig({ kubeconfig: kubeconfig("a", { tokenFile, token: "ignored" }) });
  const clock = new FakeClock();
  const current = (refresh: boolean) => credentials?.current({ refresh, clock });
  expect(await current(false)).toEqual({ token: "one" });
  write(tokenFile, "two\n");
  expect(await current(false)).toEqual({ token: "one" });
  expect(await current(true)).toEqual({ token: "two" });
  write(tokenFile, "three\n");
  clock.advanceSync(9_999);
  expect(await current(false)).toEqual({ token: "two" });
  clock.advanceSync(1);
  expect(await current(false)).toEqual({ token: "three" });
});

test("loadConfig() impersonates with user, uid, groups and extra", async () => {
  const user = { as: "jane", "as-uid": "7", "as-groups": ["g"], "as-user-extra": { k: ["v"] } };
  const { impersonate } = await loadConfig({ kubeconfig: kubeconfig("a", user) });
  expect(impersonate).toEqual({ user: "jane", uid: "7", groups: ["g"], extra: { k: ["v"] } });
});

test("inClusterConfig() reads the service account, and its token again when it changes", async () => {
  const account = folder();
  const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };
  expect(isInCluster(env, account)).toBe(false);
  write(join(account, "token"), "t1");
  write(join(account, "namespace"), "system\n");
  expect(isInCluster(env, account)).toBe(true);
  expect(isInCluster({}, account)).toBe(false);
  const config = inClusterConfig(env, account);
  expect(config).toMatchObject({
    server: "https://[fd00::1]:443",
    namespace: "system",
    caFile: join(account, "ca.crt"),
  });
  expect(await config.credentials?.current({ refresh: false })).toEqual({ token: "t1" });
  write(join(account, "token"), "t2");
  expect(await config.credentials?.current({ refresh: true })).toEqual({ token: "t2" });
  expect(podNamespace(join(account, "missing"))).toBeUndefined();
});

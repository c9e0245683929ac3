import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import type { TLSSocket } from "node:tls";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import type * as newest from "@kubernetes/client-node";
import { expect, onTestFinished, test } from "vitest";
import { startContainerServer } from "../../../e2e/support/runtime/container-server.ts";
import type { AuthInfo, ClusterConfig } from "../http/config.ts";
import { startTestManager } from "../testing/test-manager.ts";
import { loadFromManager } from "./load-from-manager.ts";

/** Version 2 needs Node 22; on Node 20 users have version 1.4. */
const isOld = Number(process.versions.node.split(".")[0]) < 22;
const clientNode = (await import(isOld ? "client-node-1" : "@kubernetes/client-node")) as typeof newest;
const { CoreV1Api, Exec, KubeConfig, Watch } = clientNode;

const connect = (config: ClusterConfig) => loadFromManager(new KubeConfig(), { config: async () => config });

test("typed APIs and watches reach the manager's cluster as its user", async () => {
  const cluster = await startTestCluster();
  onTestFinished(() => cluster.stop());
  const { manager, stop } = await startTestManager(cluster.kubeconfig);
  onTestFinished(stop);
  const kubeConfig = await loadFromManager(new KubeConfig(), manager);
  const api = kubeConfig.makeApiClient(CoreV1Api);
  const seen = new Promise((resolve, reject) => {
    const onEvent = (_: string, { metadata }: { metadata: { name: string } }): void => {
      if (metadata.name === "a") resolve(metadata.name);
    };
    const path = "/api/v1/namespaces/default/configmaps";
    new Watch(kubeConfig)
      .watch(path, {}, onEvent, reject)
      .then((request) => onTestFinished(() => request.abort()), reject);
  });
  await api.createNamespacedConfigMap({
    namespace: "default",
    body: { metadata: { name: "a" }, data: { x: "y" } },
  });
  const { data } = await api.readNamespacedConfigMap({ namespace: "default", name: "a" });
  expect(data).toEqual({ x: "y" });
  expect(await seen).toBe("a");
});

test("commands run over TLS with the certificates and tokens of the moment", async () => {
  const ca = createCA({ commonName: "a server" });
  const serving = issueCertificate(ca, { ipAddresses: ["127.0.0.1"], usages: ["server"] });
  const clients: string[] = [];
  const server = await startContainerServer({
    tls: { ...serving, ca: ca.cert, requestCert: true },
    async run({ command, write }) {
      await write("stdout", `ran ${command.join(" ")}`);
      return { status: "Success" };
    },
    answer(request) {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      clients.push(
        `${String(subject.CN)} ${request.headers.authorization} ${String(request.headers["impersonate-group"])}`,
      );
      return undefined;
    },
  });
  let number = 0;
  const current = (): AuthInfo => {
    number++;
    const { cert, key } = issueCertificate(ca, { commonName: `client-${number}`, usages: ["client"] });
    return { token: `token-${number}`, cert, key };
  };
  const kubeConfig = await connect({
    ...server.config,
    ca: ca.cert,
    credentials: { current },
    impersonate: { user: "jane", groups: ["admins"] },
  });
  const exec = new Exec(kubeConfig);
  for (let time = 0; time < 2; time++) {
    const stdout = new PassThrough();
    const ended = new Promise((resolve, reject) => {
      exec
        .exec("default", "db-0", "mysql", ["ls", "-l"], stdout, null, null, false, (status) => {
          stdout.end();
          resolve(status);
        })
        .catch(reject);
    });
    expect(await text(stdout)).toBe("ran ls -l");
    expect(await ended).toMatchObject({ status: "Success" });
  }
  expect(clients).toEqual(["client-1 Bearer token-1 admins", "client-2 Bearer token-2 admins"]);
});

test("the config's other settings are those of the KubeConfig", async () => {
  const kubeConfig = await connect({
    server: "http://127.0.0.1:8001",
    caFile: "/ca.crt",
    tlsServerName: "api",
    proxyUrl: "socks5://127.0.0.1:1080",
    namespace: "databases",
  });
  const [cluster, user]: [newest.Cluster | null, newest.User | null] = [
    kubeConfig.getCurrentCluster(),
    kubeConfig.getCurrentUser(),
  ];
  expect(cluster).toMatchObject({
    server: "http://127.0.0.1:8001",
    caFile: "/ca.crt",
    skipTLSVerify: true,
    tlsServerName: "api",
    proxyUrl: "socks5://127.0.0.1:1080",
  });
  expect(user).toEqual({ name: "manager" });
  expect(kubeConfig.getContextObject("manager")?.namespace).toBe("databases");
});

test("what client-node can't do is refused: it would do something else", async () => {
  const server = "https://127.0.0.1:6443";
  await expect(connect({ server, impersonate: { user: "jane", groups: ["a", "b"] } })).rejects.toThrow(
    "one group",
  );
  await expect(
    connect({ server, impersonate: { user: "jane", extra: { scopes: ["a", "b"] } } }),
  ).rejects.toThrow("extra");
  await expect(connect({ server, carry: () => Promise.reject(new Error("unused")) })).rejects.toThrow(
    "in its process",
  );
});

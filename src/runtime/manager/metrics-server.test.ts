import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { loadConfig } from "../config/load-config.ts";
import { createLogger } from "../log/logger.ts";
import { Manager } from "./manager.ts";
import type { MetricsOptions } from "../metrics/metrics-server.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster.stop());

async function serveMetrics(metrics: MetricsOptions, lines: string[] = []) {
  const manager = new Manager({
    name: "test",
    config: () => loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }),
    logger: createLogger({ write: (line) => void lines.push(line) }),
    metrics: { bindAddress: "127.0.0.1:0", ...metrics },
  });
  const end = manager.start();
  await manager.started;
  onTestFinished(async () => {
    manager.stop();
    await end;
  });
  return manager.addresses.metrics!;
}

function get(address: string, path: string, token?: string, options: { ca?: string; method?: string } = {}) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const request = httpsRequest(
      `https://${address}${path}`,
      {
        agent: false,
        rejectUnauthorized: options.ca !== undefined,
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        ...options,
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve({ status: response.statusCode!, text }));
      },
    );
    request.on("error", reject);
    request.end();
  });
}

function tokenOf(kubeconfig: TestCluster["kubeconfig"]): string {
  return kubeconfig.users[0]?.user.token ?? "";
}

describe("secure metrics", () => {
  test("without a token the answer is 401, without permission 403, otherwise metrics, over TLS", async () => {
    const address = await serveMetrics({ secure: true });
    await cluster.install(
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRole",
        metadata: { name: "metrics-reader" },
        rules: [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }],
      },
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRoleBinding",
        metadata: { name: "metrics-reader" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "metrics-reader" },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "scrapers" }],
      },
    );
    expect((await get(address, "/metrics")).status).toBe(401);
    expect((await get(address, "/metrics", "made-up")).status).toBe(401);
    expect((await get(address, "/metrics", tokenOf(cluster.addUser("bob", [])))).status).toBe(403);
    const scraper = tokenOf(cluster.addUser("prometheus", ["scrapers"]));
    const served = await get(address, "/metrics", scraper);
    expect(served.status).toBe(200);
    expect(served.text).toContain("controller_runtime_reconcile_total");
    expect((await get(address, "/debug/log-level", scraper)).status).toBe(403);
    await expect(fetch(`http://${address}/metrics`)).rejects.toThrow();
  });

  test("a custom certificate is served", async () => {
    const folder = await mkdtemp(join(tmpdir(), "tsbuilder-metrics-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const ca = createCA({ commonName: "own-ca" });
    const { cert, key } = issueCertificate(ca, { ipAddresses: ["127.0.0.1"], usages: ["server"] });
    await writeFile(join(folder, "server.crt"), cert);
    await writeFile(join(folder, "server.key"), key);
    const address = await serveMetrics({
      secure: true,
      certPath: folder,
      certName: "server.crt",
      keyName: "server.key",
    });
    expect((await get(address, "/metrics", undefined, { ca: ca.cert })).status).toBe(401);
  });

  test("a handler that fails results in a 500; its message is only in the log", async () => {
    const lines: string[] = [];
    const handlers = {
      "/broken": () => {
        throw new Error("a secret reason");
      },
    };
    const address = await serveMetrics({ handlers }, lines);
    const response = await fetch(`http://${address}/broken`);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("secret");
    expect(lines.join()).toContain("a secret reason");
  });

  test("debug handlers and custom handlers have the same authorization", async () => {
    const address = await serveMetrics({
      debug: true,
      handlers: { "/mine": (_request, response) => void response.end("mine") },
    });
    const text = async (path: string, init?: RequestInit) =>
      (await fetch(`http://${address}${path}`, init)).text();
    expect(await text("/mine")).toBe("mine");
    expect(await text("/debug/log-level")).toBe("info\n");
    expect(await text("/debug/log-level?level=debug", { method: "PUT" })).toBe("debug\n");
    const profile = JSON.parse(await text("/debug/profile?seconds=0.1")) as object;
    expect(profile).toHaveProperty("nodes");
    expect((await fetch(`http://${address}/debug/log-level?level=loud`, { method: "PUT" })).status).toBe(400);
    expect((await fetch(`http://${address}/unknown`)).status).toBe(404);
  });
});

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { freePort } from "@tsbuilder/apimachinery/port";
import { afterAll, expect, test } from "vitest";
import { installLaunchers } from "./install-launchers.ts";

const folder = mkdtempSync(join(tmpdir(), "launchers-"));
const children: ChildProcess[] = [];
/** An address of loopback at which only a server listens that was told to. */
const host = "127.0.0.2";
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

test("the launchers accept envtest's flags and clients, and stop on SIGTERM", async () => {
  const [apiserver, etcd] = installLaunchers(join(folder, "bin"));
  const [apiPort, etcdPort] = [await freePort(), await freePort()];
  const ca = createCA({ commonName: "envtest" });
  const serving = issueCertificate(ca, { ipAddresses: [host], usages: ["server"] });
  const client = issueCertificate(ca, {
    commonName: "admin",
    organizations: ["system:masters"],
    usages: ["client"],
  });
  writeFileSync(join(folder, "ca.crt"), ca.cert);
  writeFileSync(join(folder, "apiserver.crt"), serving.cert);
  writeFileSync(join(folder, "apiserver.key"), serving.key);
  const flags = [
    `--cert-dir=${folder}`,
    `--client-ca-file=${join(folder, "ca.crt")}`,
    `--bind-address=${host}`,
    "--advertise-address=10.200.0.1",
    "--requestheader-allowed-names=proxy,other",
    `--requestheader-client-ca-file=${join(folder, "ca.crt")}`,
  ];
  const server = run(apiserver!, [...flags, `--secure-port=${apiPort}`, "--authorization-mode=RBAC"]);
  run(etcd!, [`--listen-client-urls=http://127.0.0.1:${etcdPort}`]);

  await untilAnswers(async () => (await fetch(`http://127.0.0.1:${etcdPort}/health`)).status);
  const agent = new Agent({ ca: ca.cert, cert: client.cert, key: client.key });
  await untilAnswers(() => get(apiPort, "/healthz", new Agent({ ca: ca.cert })));
  expect(await get(apiPort, "/api/v1/namespaces", agent)).toBe(200);
  expect(await get(apiPort, "/api/v1/namespaces", new Agent({ ca: ca.cert }))).toBe(403);
  const read = async (path: string) => JSON.parse(await getText(apiPort, path, agent)) as object;
  expect(await read("/api/v1/namespaces/default/endpoints/kubernetes")).toMatchObject({
    subsets: [{ addresses: [{ ip: "10.200.0.1" }], ports: [{ port: apiPort }] }],
  });
  const configMap = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
  const { data } = (await read(configMap)) as { data: Record<string, string> };
  expect(data).toMatchObject({
    "requestheader-allowed-names": '["proxy","other"]',
    "requestheader-client-ca-file": ca.cert,
  });
  expect(data["client-ca-file"]).toContain(ca.cert);
  const ended = once(server, "exit");
  server.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
});

test.each([
  [["--enable-admission-plugins=Nonsense"], {}, /^enable-admission-plugins plugin "Nonsense" is unknown$/u],
  [
    [],
    { TSBUILDER_CONTROLLERS: "namespace,nonsense" },
    /^TSBUILDER_CONTROLLERS has an unknown controller "nonsense": use all, /u,
  ],
])("%j %j ends the program with a message", async (argv, env, message) => {
  const [apiserver] = installLaunchers(join(folder, "refusing"));
  const server = spawn(apiserver!, argv, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  children.push(server);
  let printed = "";
  server.stderr.setEncoding("utf8").on("data", (text: string) => (printed += text));
  expect(await once(server, "close")).toEqual([1, null]);
  expect(printed.trim().replace("kube-apiserver of tsbuilder: ", "")).toMatch(message);
});

function run(path: string, argv: string[]): ChildProcess {
  const child = spawn(path, argv, { stdio: "ignore" });
  children.push(child);
  return child;
}

async function get(port: number, path: string, agent: Agent): Promise<number> {
  const response = await call(port, path, agent);
  response.resume();
  return response.statusCode ?? 0;
}

async function getText(port: number, path: string, agent: Agent): Promise<string> {
  return text(await call(port, path, agent));
}

async function call(port: number, path: string, agent: Agent): Promise<IncomingMessage> {
  const [response] = (await once(request({ host, port, path, agent }).end(), "response")) as [
    IncomingMessage,
  ];
  return response;
}

async function untilAnswers(ask: () => Promise<number>): Promise<void> {
  for (;;) {
    const code = await ask().catch(() => 0);
    if (code === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

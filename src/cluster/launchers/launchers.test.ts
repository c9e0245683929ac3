import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { freePort } from "@tsbuilder/apimachinery/port";
import { afterAll, expect, test } from "vitest";
import { installLaunchers } from "./install-launchers.ts";

const folder = mkdtempSync(join(tmpdir(), "launchers-"));
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

test("the launchers accept envtest's flags and clients, and stop on SIGTERM", async () => {
  const [apiserver, etcd] = installLaunchers(join(folder, "bin"));
  const [apiPort, etcdPort] = [await freePort(), await freePort()];
  const ca = createCA({ commonName: "envtest" });
  const serving = issueCertificate(ca, { ipAddresses: ["127.0.0.1"], usages: ["server"] });
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
    "--bind-address=127.0.0.1",
  ];
  const server = run(apiserver!, [...flags, `--secure-port=${apiPort}`, "--authorization-mode=RBAC"]);
  run(etcd!, [`--listen-client-urls=http://127.0.0.1:${etcdPort}`]);

  await untilAnswers(async () => (await fetch(`http://127.0.0.1:${etcdPort}/health`)).status);
  const agent = new Agent({ ca: ca.cert, cert: client.cert, key: client.key });
  await untilAnswers(() => get(apiPort, "/healthz", new Agent({ ca: ca.cert })));
  expect(await get(apiPort, "/api/v1/namespaces", agent)).toBe(200);
  expect(await get(apiPort, "/api/v1/namespaces", new Agent({ ca: ca.cert }))).toBe(403);
  const ended = once(server, "exit");
  server.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
});

test("an unknown plugin ends the program with a message", async () => {
  const [apiserver] = installLaunchers(join(folder, "refusing"));
  const server = spawn(apiserver!, ["--enable-admission-plugins=Nonsense"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  children.push(server);
  let printed = "";
  server.stderr.setEncoding("utf8").on("data", (text: string) => (printed += text));
  expect(await once(server, "close")).toEqual([1, null]);
  expect(printed).toBe(
    'kube-apiserver of tsbuilder: enable-admission-plugins plugin "Nonsense" is unknown\n',
  );
});

function run(path: string, argv: string[]): ChildProcess {
  const child = spawn(path, argv, { stdio: "ignore" });
  children.push(child);
  return child;
}

function get(port: number, path: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request({ host: "127.0.0.1", port, path, agent }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    call.on("error", reject);
    call.end();
  });
}

async function untilAnswers(ask: () => Promise<number>): Promise<void> {
  for (;;) {
    const code = await ask().catch(() => 0);
    if (code === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { installLaunchers } from "../../launchers/install-launchers.ts";
import { startTestCluster, type TestCluster, type TestClusterOptions } from "../index.ts";
import { send } from "../send.ts";

// These tests run on the launchers of the embedded cluster; e2e/oracle/real runs the same with the real programs.

const folder = mkdtempSync(join(tmpdir(), "real-cluster-"));
const assets = join(folder, "assets");
installLaunchers(assets);
afterAll(() => rmSync(folder, { recursive: true }));

test("startTestCluster() runs a kube-apiserver with the same API, and leaves no process running", async () => {
  const cluster = await startReal({ crds: things });
  const { kubeconfig } = cluster;
  const path = "/apis/example.com/v1/namespaces/default/things";
  expect(await send(kubeconfig, { method: "GET", path })).toMatchObject({ code: 200, body: { items: [] } });

  await cluster.install(thing(1));
  const [replaced] = await cluster.install(thing(2), configMap);
  expect(replaced).toMatchObject({ spec: { size: 2 }, metadata: { generation: 2, namespace: "default" } });
  await expect(cluster.install({ ...thing(1), kind: "Other" })).rejects.toThrow("is its CRD installed?");
  await expect(cluster.install(thing("many"))).rejects.toThrow('refused Thing "a"');

  const alice = cluster.addUser("alice", ["developers"]);
  const { code, text } = await send(alice, { method: "GET", path });
  expect(code).toBe(403);
  expect(text).toContain('User \\"alice\\" cannot list');
  expect(readFileSync(await cluster.kubeconfigFile(alice), "utf8")).toContain(cluster.url);

  expect(() => cluster.snapshot()).toThrow("run this test without --real");
  expect(() => cluster.core.store).toThrow("core is for the embedded cluster only");
  await cluster.stop();
  await expect(send(kubeconfig, { method: "GET", path })).rejects.toThrow();
});

test("an option that only the embedded cluster supports is refused by name", async () => {
  await expect(startReal({ controllers: ["deployment"] })).rejects.toThrow('option "controllers" is for');
});

test("references to a Service reach the process that the test names, whenever it starts", async () => {
  let place: { host: string; port: number } | undefined;
  const cluster = await startReal({ resolveService: () => place });
  const service = { namespace: "system", name: "webhook-service" };
  const [hook] = (await cluster.install(webhookBy(service))) as [ReturnType<typeof webhookBy>];
  const { port, ...rest } = hook.webhooks[0]!.clientConfig.service as { port: number };
  expect(rest).toEqual({ ...service, path: "/validate" });
  const kept = { spec: { type: "ExternalName", externalName: "localhost" } };
  const own = { apiVersion: "v1", kind: "Service", metadata: service, spec: { ports: [{ port: 443 }] } };
  expect(await cluster.install(own)).toMatchObject([kept]);

  await expect(wordsAt(port)).resolves.toBe("");
  const process = createServer((socket) => socket.end("here")).listen(0, "127.0.0.1");
  await once(process, "listening");
  place = { host: "127.0.0.1", port: (process.address() as AddressInfo).port };
  await expect(wordsAt(port)).resolves.toBe("here");
  process.close();
  await expect(wordsAt(port)).resolves.toBe("");
  await cluster.stop();
  await expect(wordsAt(port)).rejects.toThrow("ECONNREFUSED");
});

test("the error for a program that can't start quotes its output", async () => {
  const broken = join(folder, "broken");
  installLaunchers(broken);
  const program = join(broken, "kube-apiserver");
  writeFileSync(program, "#!/bin/sh\necho 'Error: unknown flag: --secure-port' >&2\nexit 1\n");
  await expect(startReal({}, broken)).rejects.toThrow(
    "kube-apiserver exited before it was ready. Its last output:\nError: unknown flag: --secure-port",
  );
  rmSync(program);
  await expect(startReal({}, broken)).rejects.toThrow("kube-apiserver: not found");
});

test("a program ends with the process that started it, even if that is killed", async () => {
  const pidFile = join(folder, "pid");
  const program = join(folder, "sleeper");
  writeFileSync(program, `#!/bin/sh\necho $$ > ${pidFile}\nexec sleep 300\n`);
  chmodSync(program, 0o755);
  const code = `import(${JSON.stringify(new URL("program.ts", import.meta.url).href)}).then(({ startProgram }) => startProgram(${JSON.stringify(program)}, []))`;
  const parent = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", code]);
  const pid = await eventually(() => Number(readFileSync(pidFile, "utf8")) || undefined);
  expect(isRunning(pid)).toBe(true);
  parent.kill("SIGKILL");
  await once(parent, "exit");
  await eventually(() => !isRunning(pid) || undefined);
});

function startReal(options: TestClusterOptions, from = assets): Promise<TestCluster> {
  process.env["TSBUILDER_TEST_ASSETS"] = from;
  // The kind of cluster is decided before the first await.
  const cluster = startTestCluster(options);
  delete process.env["TSBUILDER_TEST_ASSETS"];
  return cluster;
}

/** All data that a server sends at a port until it closes the connection. */
async function wordsAt(port: number): Promise<string> {
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  let words = "";
  for await (const part of socket) words += part as string;
  return words;
}

function webhookBy(service: object) {
  const webhook = {
    name: "validate.example.com",
    clientConfig: { service: { ...service, path: "/validate" } as object },
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
  };
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "validate" },
    webhooks: [webhook],
  };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function eventually<T>(look: () => T | undefined): Promise<T> {
  for (;;) {
    try {
      const found = look();
      if (found !== undefined) return found;
    } catch {
      // Not there yet.
    }
    await delay(20);
  }
}

const things = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, singular: thing, kind: Thing, listKind: ThingList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {size: {type: integer}}}
`;
const thing = (size: unknown) => ({
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name: "a" },
  spec: { size },
});
const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } };

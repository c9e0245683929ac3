import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { type ClusterConfig, createClient, loadConfig } from "@tsbuilder/runtime";
import { ConfigMap, Namespace } from "@tsbuilder/runtime/k8s/core/v1";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { startFaultProxy } from "../../../src/runtime/testing/fault-proxy.ts";
import { eventually } from "../../support/eventually.ts";
import { type ProbedClient, startOwnClient } from "./own-writes/own-client.ts";
import { startControlPlane } from "./control-plane.ts";
import { findBinaries } from "./control-plane-binaries.ts";

/**
 * Clients that read what they have just written, while the events of watches are late: controller-runtime as it is by default, with its
 * option `EnableReadYourWritesConsistency`, and our client.
 */
type Reader = "default" | "consistent" | "ours";

/** A read shows the state before the write or after it, or waits, or the write was refused. */
type Seen = "old" | "new" | "waits" | "refused";

interface Probe {
  readonly name: string;
  /** The reads while the events are late. */
  readonly late: { readonly [reader in Reader]: Seen };
  /** The reads once the events have come, if they aren't all "new". */
  readonly settled?: { readonly [reader in Reader]: Seen };
  /** The ConfigMap that another process changes before the write. */
  readonly foreign?: string;
}

const usual = { default: "old", consistent: "waits", ours: "new" } as const;
const all = (seen: Seen) => ({ default: seen, consistent: seen, ours: seen });

const probes: readonly Probe[] = [
  { name: "create, then list", late: usual },
  { name: "update, then get", late: usual },
  { name: "patch, then get", late: usual },
  { name: "status, then get", late: usual },
  { name: "apply, then list by index", late: usual },
  { name: "delete, then get", late: usual },
  { name: "delete with a finalizer, then get", late: usual },
  // The answer has no version to wait for.
  {
    name: "delete of all, then get",
    late: { default: "old", consistent: "refused", ours: "new" },
    settled: { default: "new", consistent: "refused", ours: "new" },
  },
  // With the option, the uid of what is deleted by its name comes from the cache.
  {
    name: "create and delete, then get",
    late: { default: "new", consistent: "refused", ours: "new" },
    settled: { default: "new", consistent: "refused", ours: "new" },
  },
  // With the option, only reads of the representation that was written wait.
  {
    name: "update, then get of the metadata",
    late: { default: "old", consistent: "old", ours: "new" },
  },
  // The answer is a Scale, which is no version of the object.
  { name: "scale, then get", late: all("old") },
  // The event of this write never comes.
  {
    name: "create of what the cache leaves out, then list",
    late: { default: "old", consistent: "waits", ours: "old" },
    settled: { default: "old", consistent: "waits", ours: "old" },
  },
  {
    name: "dry run, then list",
    late: { default: "old", consistent: "refused", ours: "old" },
    settled: { default: "old", consistent: "refused", ours: "old" },
  },
  { name: "another process's write, then get", late: all("old"), foreign: "foreign" },
  // A list that waits for a write has waited for all earlier ones of its kind.
  {
    name: "another process's write and an own one of another object, then list",
    late: { default: "old", consistent: "waits", ours: "old" },
    foreign: "foreign-too",
  },
];

const folder = mkdtempSync(join(tmpdir(), "own-writes-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const program = buildProgram();
if (!program) console.log("left out: own writes of controller-runtime: Go, or its modules, are not there");
const readers: Reader[] = program ? ["default", "consistent", "ours"] : ["ours"];
const binaries = findBinaries({ build: false });
if ("missing" in binaries) console.log(`left out: own writes on a real server: ${binaries.missing}`);

describe.each(["embedded", "real"] as const)("on the %s server", (server) => {
  test.skipIf(server === "real" && "missing" in binaries).each(readers)("%s", async (reader) => {
    const direct = await startServer(server);
    const others = createClient(direct);
    const namespace = "probes";
    await others.create(Namespace, { metadata: { name: namespace } });
    const clock = new FakeClock();
    const proxy = await startFaultProxy(direct, { clock });
    onTestFinished(async () => {
      await others.close();
      await proxy.close();
    });
    proxy.onRequest = ({ path }) =>
      path.includes("watch=true") ? { type: "slow", milliseconds: 1000 } : undefined;
    /** Lets the events of watches come until a promise is settled. */
    const delivering = async <T>(awaited: Promise<T>): Promise<T> => {
      const moving = setInterval(() => clock.advanceSync(1000), 10);
      return awaited.finally(() => clearInterval(moving));
    };
    const client = await delivering(
      reader === "ours"
        ? startOwnClient(proxy.config, namespace)
        : startProgram(proxy.config, namespace, reader),
    );
    const seen: { readonly name: string; readonly late: string }[] = [];
    for (const { name, foreign, settled = all("new") } of probes) {
      await delivering(client.run("prepare", name));
      if (foreign !== undefined)
        await others.patch(ConfigMap, { namespace, name: foreign }, { merge: { data: { state: "new" } } });
      const written = await client.run("write", name);
      const read = async () => (written === "refused" ? written : client.run("read", name));
      seen.push({ name, late: await read() });
      await delivering(
        eventually(async () =>
          expect({ name, settled: await read() }).toEqual({ name, settled: settled[reader] }),
        ),
      );
    }
    console.log(`${server}, ${reader}: ${seen.map(({ name, late }) => `${name}: ${late}`).join("; ")}`);
    expect(seen).toEqual(probes.map(({ name, late }) => ({ name, late: late[reader] })));
  });
});

async function startServer(server: "embedded" | "real"): Promise<ClusterConfig> {
  if (server === "real" && "folder" in binaries) {
    const control = await startControlPlane(binaries.folder);
    onTestFinished(() => control.stop());
    return loadConfig({ kubeconfig: control.kubeconfig, env: {} });
  }
  const cluster = await startTestCluster();
  onTestFinished(() => cluster.stop());
  return loadConfig({ kubeconfig: await cluster.kubeconfigFile(), env: {} });
}

/** Builds `own-writes/main.go`; undefined without Go. */
function buildProgram(): string | undefined {
  const output = join(folder, "program");
  const cwd = fileURLToPath(new URL("own-writes", import.meta.url));
  const { status } = spawnSync("go", ["build", "-o", output, "."], {
    cwd,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return status === 0 ? output : undefined;
}

async function startProgram(
  { server, credentials }: ClusterConfig,
  namespace: string,
  reader: Reader,
): Promise<ProbedClient> {
  const { token = "" } = (await credentials?.current({ refresh: false })) ?? {};
  const child = spawn(program!, {
    env: { ...process.env, SERVER: server, TOKEN: token, NAMESPACE: namespace, READER: reader },
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    async run(command, probe) {
      child.stdin.write(`${command} ${probe}\n`);
      const line = await lines.next();
      if (line.done) throw new Error(`the program ended at "${command} ${probe}"`);
      const { saw, error } = JSON.parse(line.value) as { saw: string; error?: string };
      if (error === undefined) return saw;
      if (command !== "write") throw new Error(`${command} ${probe}: ${error}`);
      return "refused";
    },
  };
}

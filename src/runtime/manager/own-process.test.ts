import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { bundleProgram } from "../../../e2e/support/bundle-program.ts";
import { eventually } from "../testing/eventually.ts";

/**
 * A project's operator: one controller that hangs until its signal is aborted, bundled into one file without packages.
 */
const source = `
  import { defineKind, Manager } from "@tsbuilder/runtime";
  const ConfigMap = defineKind({ group: "", version: "v1" }, { kind: "ConfigMap", plural: "configmaps" });
  const manager = Manager.fromArgs({ name: "bundled", leaderElectionId: "bundled" });
  manager.controllerFor(ConfigMap).withOptions({ maxConcurrentReconciles: 5 }).complete({
    async reconcile({ name }, { log, signal }) {
      if (name === "careless") void Promise.reject(new Error("an await was forgotten"));
      if (name !== "slow") return;
      log.info("Began");
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      log.info("Ended");
    },
  });
  await manager.start();
`;

let cluster: TestCluster;
let folder: string;
let kubeconfig: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tsbuilder-bundle-"));
  cluster = await startTestCluster();
  kubeconfig = await cluster.kubeconfigFile();
  await bundleProgram({ text: source, folder: import.meta.dirname }, join(folder, "main.mjs"));
});
afterAll(async () => {
  await cluster.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Run {
  readonly child: ChildProcess;
  /** Everything that was written so far. */
  readonly text: () => string;
  readonly lines: () => { msg?: string; level?: string; error?: string; address?: string }[];
  readonly exit: () => Promise<number | null>;
}

function run(...args: string[]): Run {
  const child = spawn(process.execPath, [join(folder, "main.mjs"), ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => void chunks.push(chunk));
  // After the last output, which may come later than the exit.
  const ended = once(child, "close");
  onTestFinished(() => void child.kill("SIGKILL"));
  const text = () => chunks.join("");
  return {
    child,
    text,
    lines: () =>
      text()
        .split("\n")
        .filter((line) => line.startsWith("{") && line.endsWith("}"))
        .map((line) => JSON.parse(line) as { msg?: string }),
    exit: async () => ((await ended) as [number | null])[0],
  };
}

const says = (process: Run, message: string) => process.lines().some(({ msg }) => msg === message);
const start = (...args: string[]) =>
  run("--kubeconfig", kubeconfig, "--health-probe-bind-address=0", ...args);
const makeConfigMap = (name: string) =>
  cluster.install({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } });

describe("an operator in one file", () => {
  test("it serves metrics and probes, and exits with 0 after SIGTERM, when running reconciles have ended", async () => {
    await makeConfigMap("slow");
    const operator = start(
      "--metrics-bind-address=127.0.0.1:0",
      "--metrics-secure=false",
      "--graceful-shutdown-timeout=300ms",
    );
    await eventually(() => says(operator, "Began"));
    const { address } = operator.lines().find(({ msg }) => msg === "Serving metrics") ?? {};
    const metrics = await (await fetch(`http://${address}/metrics`)).text();
    expect(metrics).toContain('controller_runtime_active_workers{controller="configmap"} 1');
    operator.child.kill("SIGTERM");
    await eventually(() => says(operator, "Ended"));
    expect(await operator.exit()).toBe(0);
    expect(says(operator, "Stopped")).toBe(true);
  });

  test("a second signal makes it exit with 1 at once", async () => {
    await makeConfigMap("slow");
    const operator = start("--graceful-shutdown-timeout=1h");
    await eventually(() => says(operator, "Began"));
    operator.child.kill("SIGINT");
    await eventually(() => says(operator, "Received a signal, stopping"));
    operator.child.kill("SIGINT");
    expect(await operator.exit()).toBe(1);
    expect(says(operator, "Ended")).toBe(false);
  });

  test("a missing await is logged with its reconcile, and doesn't end the process", async () => {
    await makeConfigMap("careless");
    const operator = start();
    const message = "Unhandled promise rejection: an await is missing";
    await eventually(() => says(operator, message));
    expect(operator.lines().find(({ msg }) => msg === message)).toMatchObject({
      level: "error",
      error: "an await was forgotten",
      name: "careless",
      controllerKind: "ConfigMap",
    });
    operator.child.kill("SIGUSR2");
    await eventually(() => says(operator, "Changed the log level"));
    await makeConfigMap("another");
    await eventually(() => says(operator, "Reconcile successful"));
  });

  test("a failure is logged, and it exits with 1", async () => {
    await writeFile(join(folder, "empty"), "{}");
    const operator = run("--kubeconfig", join(folder, "empty"));
    expect(await operator.exit()).toBe(1);
    expect(operator.lines().at(-1)).toMatchObject({ level: "error", msg: "The manager failed" });
  });

  test("--help lists the flags and exits with 0; an unknown flag exits with 2", async () => {
    const help = run("--help");
    expect(await help.exit()).toBe(0);
    expect(help.text()).toContain("--metrics-bind-address string\n");
    const wrong = run("--leader-elct");
    expect(await wrong.exit()).toBe(2);
    expect(wrong.text()).toBe("there is no flag --leader-elct; --help lists them\n");
  });
});

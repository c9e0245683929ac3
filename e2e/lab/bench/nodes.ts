import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findPrograms, kubectlReleases } from "../../support/kubectl-binaries.ts";
import { repository } from "../../support/source-imports.ts";
import { boxImage, writeBoxImage } from "../../oracle/real/node/box-image.ts";
import { prepareNode } from "../../oracle/real/node/node-programs.ts";
import { startNode } from "../../oracle/real/node/start-node.ts";

// From nothing to a Ready node and a pod that runs: the embedded control plane, as `tsbuilder cluster start --nodes 1` starts it
// (build first), beside etcd, kube-apiserver, kube-controller-manager and kube-scheduler with the same node. Runs alternate.

const runs = Number(process.env["RUNS"] ?? 3);
const [real, embedded] = [prepareNode("real"), prepareNode("embedded")];
const clients = findPrograms(kubectlReleases.at(-1)!);
if ("missing" in real || "missing" in embedded || "missing" in clients) {
  console.log("left out: nodes: this machine can't run one; npm run lab -- real-node says why");
  process.exit();
}
const { kubectl } = clients;
const { node: nodePrograms } = embedded;
const folder = mkdtempSync(join(tmpdir(), "bench-nodes-"));
const archive = join(folder, "box.tar");
writeBoxImage(archive);

interface Result {
  readonly node: number;
  readonly pod: number;
  readonly processor: number;
  readonly megabytes: number;
}

const results: Record<"Kubernetes" | "embedded", Result[]> = { Kubernetes: [], embedded: [] };
try {
  for (let run = 0; run < runs; run++) {
    results.embedded.push(await runEmbedded());
    results.Kubernetes.push(await runReal());
  }
} finally {
  rmSync(folder, { recursive: true });
}
console.log("| from nothing to | Kubernetes | embedded | ratio |\n| --- | --- | --- | --- |");
for (const [what, field, unit] of [
  ["a Ready node", "node", "s"],
  ["a running pod", "pod", "s"],
  ["processor time of the control plane until then", "processor", "s"],
  ["its resident memory then", "megabytes", "MB"],
] as const) {
  const [theirs, ours] = [median(results.Kubernetes, field), median(results.embedded, field)];
  console.log(
    `| ${what} | ${theirs.toFixed(1)} ${unit} | ${ours.toFixed(1)} ${unit} | ${(ours / theirs).toFixed(2)} |`,
  );
}
console.log(
  `Medians of ${runs} runs each, in turns; load ${readFileSync("/proc/loadavg", "utf8").split(" ")[0]!}.`,
);

function median(all: readonly Result[], field: keyof Result): number {
  return all.map((each) => each[field]).toSorted((a, b) => a - b)[Math.floor(all.length / 2)]!;
}

async function runEmbedded(): Promise<Result> {
  const begin = performance.now();
  const kubeconfig = join(folder, "kubeconfig");
  const flags = ["--kubeconfig", kubeconfig, "--nodes", "1", "--node-programs", nodePrograms];
  const words = [join(repository, "bin/tsbuilder.js"), "cluster", "start", ...flags];
  const child = spawn(process.execPath, words, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  try {
    await printed(child, "cluster ready");
    const node = seconds(begin);
    await promisify(execFile)(process.execPath, [words[0]!, "load", archive, "--kubeconfig", kubeconfig]);
    await runPod(kubeconfig);
    return { node, pod: seconds(begin), ...usageOf([child.pid!]) };
  } finally {
    child.kill("SIGINT");
    await once(child, "exit");
    rmSync(kubeconfig, { force: true });
  }
}

async function runReal(): Promise<Result> {
  const begin = performance.now();
  const cluster = await startNode(real as { controlPlane: string; node: string });
  try {
    // Its image has been loaded by then.
    const node = seconds(begin);
    await runPod(cluster.kubeconfig);
    const words = [...cluster.enter.slice(1), "readlink", "/proc/self/ns/net"];
    const network = (await promisify(execFile)(cluster.enter[0]!, words)).stdout.trim();
    const names = ["etcd", "kube-apiserver", "kube-controller", "kube-scheduler"];
    return { node, pod: seconds(begin), ...usageOf(processesIn(network, names)) };
  } finally {
    await cluster.stop();
  }
}

function seconds(begin: number): number {
  return (performance.now() - begin) / 1000;
}

async function printed(child: ChildProcess, text: string): Promise<void> {
  let told = "";
  for await (const chunk of child.stdout!) {
    told += String(chunk);
    if (told.includes(text)) return child.stdout!.resume() && undefined;
  }
  throw new Error(`the cluster ended:\n${told}`);
}

async function runPod(kubeconfig: string): Promise<void> {
  const run = (...words: string[]) => promisify(execFile)(kubectl, ["--kubeconfig", kubeconfig, ...words]);
  await run("run", "box", `--image=${boxImage}`);
  await run("wait", "pod/box", "--for=condition=Ready", "--timeout=300s");
}

/** The processes of a network namespace with these names. */
function processesIn(network: string, names: readonly string[]): number[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/u.test(entry))
    .filter((entry) => {
      try {
        const name = readFileSync(`/proc/${entry}/comm`, "utf8").trim();
        return names.includes(name.slice(0, 15)) && readlinkSync(`/proc/${entry}/ns/net`) === network;
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Processor time of user and system in seconds, and resident memory: of Kubernetes' programs none shares its code with another. */
function usageOf(pids: readonly number[]): Pick<Result, "processor" | "megabytes"> {
  let [ticks, kilobytes] = [0, 0];
  for (const pid of pids) {
    const [user, system] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ").slice(11, 13);
    ticks += Number(user) + Number(system);
    kilobytes += Number(/^Rss: +(\d+)/mu.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))![1]);
  }
  return { processor: ticks / 100, megabytes: kilobytes / 1024 };
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { timeoutIn } from "../../../../.config/limits.ts";
import { eventually } from "../../../support/eventually.ts";
import { findPrograms, kubectlReleases } from "../../../support/kubectl-binaries.ts";
import { repository } from "../../../support/source-imports.ts";
import { watchProcess, type WatchedProcess } from "../../../support/watched-process.ts";
import { boxImage, writeBoxImage } from "./box-image.ts";
import { dockerFlags, prepareEngines } from "./engines.ts";
import { insideShell } from "./inside-shell.ts";
import { machineState } from "./machine-state.ts";
import { nodeImage, writeNodeImage } from "./node-image.ts";
import { prepareNode } from "./node-programs.ts";
import { type Sandbox, startSandbox } from "./sandbox.ts";
import { sandboxTraces } from "./sandbox-traces.ts";

// Nodes as users start them: `tsbuilder cluster start --nodes`, from programs in namespaces and as containers of Docker; images are
// loaded into them, pods run, and nothing is left, however the command ends.

const programs = prepareNode("embedded");
const clients = findPrograms(kubectlReleases.at(-1)!);
const missing = "missing" in programs ? programs.missing : "missing" in clients ? clients.missing : undefined;
const engines = missing ?? prepareEngines();
if (engines !== undefined) console.log(`left out: nodes of users: ${engines}`);
const cli = join(repository, "bin/tsbuilder.js");

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "clusters-"))));
afterEach(() => rmSync(folder, { recursive: true }));

/** The words before commands that run beside the cluster, and the variables that they need. */
interface Place {
  readonly enter: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const here: Place = { enter: [], env: {} };

test.skipIf(missing !== undefined)("nodes of programs run pods, and end with the command", async () => {
  const before = machineState();
  const added = newFolders("/var/tmp");
  const flags = ["--nodes", "2", "--node-programs", (programs as { readonly node: string }).node];
  const cluster = await startCluster(here, flags);
  const [own = ""] = added();
  expect(sandboxTraces(own)).toContain(own);
  await usePods(here);
  expect(await cluster.stop("SIGINT")).toBe(0);
  expect(sandboxTraces(own)).toEqual([]);
  expect(machineState()).toEqual(before);
});

test.skipIf(missing !== undefined)("nothing of programs is left after kill -9", async () => {
  const before = machineState();
  const added = newFolders("/var/tmp");
  const flags = ["--nodes", "1", "--node-programs", (programs as { readonly node: string }).node];
  const cluster = await startCluster(here, flags);
  const [own = ""] = added();
  expect(sandboxTraces(own)).toContain(own);
  await cluster.stop("SIGKILL");
  await eventually(() => expect(sandboxTraces(own)).toEqual([]));
  expect(machineState()).toEqual(before);
});

test.skipIf(missing !== undefined)("nothing is left of starts that are killed as they begin", async () => {
  const before = machineState();
  const flags = ["--nodes", "1", "--node-programs", (programs as { readonly node: string }).node];
  const words = ["cluster", "start", "--kubeconfig", join(folder, "kubeconfig"), ...flags];
  for (const milliseconds of [0, 2, 10, 50, 250]) {
    const added = newFolders("/var/tmp");
    const child = spawn(process.execPath, [cli, ...words], { cwd: folder, stdio: "ignore" });
    const exited = once(child, "exit");
    while (added().length === 0) await delay(1);
    const [own = ""] = added();
    await delay(milliseconds);
    child.kill("SIGKILL");
    await exited;
    await eventually(() => expect(sandboxTraces(own)).toEqual([]));
  }
  expect(machineState()).toEqual(before);
});

test.skipIf(engines !== undefined)("nodes are containers of Docker, and end with the command", async () => {
  const sandbox = await startSandbox(["docker"]);
  try {
    const place = await startDocker(sandbox);
    const { enter, env } = place;
    const docker = async (...words: string[]): Promise<string> =>
      (await insideShell({ enter }, { folder, env }).run("docker", ...words)).stdout;
    const flags = ["--nodes", "2", "--node-image", nodeImage];
    const added = newFolders(tmpdir());
    for (const signal of ["SIGINT", "SIGKILL"] as const) {
      const cluster = await startCluster(place, flags);
      await usePods(place);
      const nodes = await docker("ps", "--quiet", "--filter", "label=dev.tsbuilder.node");
      expect(nodes.trim().split("\n")).toHaveLength(2);
      expect(added()).toHaveLength(1);
      await cluster.stop(signal);
      await eventually(async () => expect(await docker("ps", "--quiet", "--all")).toBe(""));
      await eventually(async () => expect(await docker("volume", "ls", "--quiet")).toBe(""));
      await eventually(() => expect(added()).toEqual([]));
    }
  } finally {
    await sandbox.stop();
  }
});

/** Returns a function that lists folders of nodes which are new. */
function newFolders(parent: string): () => string[] {
  const list = (): string[] => readdirSync(parent).filter((name) => name.startsWith("tsbuilder-node-"));
  const known = new Set(list());
  return () =>
    list()
      .filter((name) => !known.has(name))
      .map((name) => join(parent, name));
}

/** Starts a cluster in the foreground; resolves when it is ready. */
async function startCluster({ enter, env }: Place, flags: readonly string[]): Promise<WatchedProcess> {
  const words = ["cluster", "start", "--kubeconfig", join(folder, "kubeconfig"), ...flags];
  const [program = "", ...rest] = [...enter, process.execPath, cli, ...words];
  const child = spawn(program, rest, { cwd: folder, env: { ...process.env, ...env } });
  const cluster = watchProcess("cluster", child);
  await eventually(() => expect(cluster.lines.join("\n")).toContain("cluster ready"), cluster.watch, 120_000);
  return cluster;
}

/** Loads an image, and runs pods of it that find each other by name. */
async function usePods({ enter, env }: Place): Promise<void> {
  const kubeconfig = join(folder, "kubeconfig");
  const { run: runThere } = insideShell({ enter: [...enter, "env"] }, { folder, env });
  if ("missing" in clients) throw new Error(clients.missing);
  const kubectl = async (words: string): Promise<string> =>
    (await runThere(clients.kubectl, "--kubeconfig", kubeconfig, ...words.split(" "))).stdout;
  const archive = join(folder, "box.tar");
  writeBoxImage(archive);
  const load = ["load", archive, "--kubeconfig", kubeconfig];
  expect((await runThere(process.execPath, cli, ...load)).stdout).toBe(`loaded ${archive} into nodes\n`);
  await kubectl(`apply --filename ${join(import.meta.dirname, "test-pods.yaml")}`);
  await kubectl(`rollout status statefulset/web --timeout=${timeoutIn.journey}`);
  expect(await kubectl("get pods --output=jsonpath={..image}")).toContain(boxImage);
  const ask = (url: string): Promise<string> => kubectl(`exec web-0 -- /bin/busybox wget -qO- http://${url}`);
  expect(await ask("web-1.web:8080/")).toBe("web-1\n");
  expect(await eventually(() => ask("front.default.svc.cluster.local/"))).toMatch(/^web-[01]\n$/u);
  expect(await kubectl("logs web-1")).toBe("serving\n");
  const page = "get --raw /api/v1/namespaces/default/pods/web-1:8080/proxy/";
  expect(await kubectl(page)).toBe("web-1\n");
}

/** Starts Docker Engine in the namespaces of a sandbox, with an image for nodes. */
async function startDocker(sandbox: Sandbox): Promise<Place> {
  const { folder: own, group, enter, start } = sandbox;
  const env = { DOCKER_HOST: `unix://${join(own, "docker.sock")}` };
  const runtime = join(own, "runc");
  writeFileSync(runtime, weakerRuntime);
  chmodSync(runtime, 0o755);
  const flags = [...dockerFlags(own, group), `--add-runtime=own=${runtime}`, "--default-runtime=own"];
  const dockerd = start("dockerd", ["dockerd", ...flags]);
  const archive = join(own, "node.tar");
  writeNodeImage(archive, (programs as { readonly node: string }).node);
  const inside = insideShell(sandbox, { folder: own, env });
  await eventually(() => inside.run("docker", "load", "--input", archive), dockerd.watched);
  // Only its network differs from that of the machine, so that the command is a process of the machine, and gets its signals.
  return { enter: [...enter.slice(0, 3), "--net", "--"], env };
}

/** A container runtime that gives no capability which machines of CI lack. */
const weakerRuntime = `#!/bin/bash
words=("$@")
while [ $# -gt 0 ]; do
  case $1 in
  --bundle | -b) file=$2/config.json ;;
  --process | -p) file=$2 ;;
  esac
  shift
done
[ -n "\${file-}" ] && sed -i 's/"CAP_SYS_RESOURCE",//g' "$file"
exec runc "\${words[@]}"
`;

import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { timeoutIn } from "../../../../.config/limits.ts";
import { eventually } from "../../../support/eventually.ts";
import { findPrograms, kubectlReleases } from "../../../support/kubectl-binaries.ts";
import { run, type Shell } from "../../../support/shell.ts";
import { repository } from "../../../support/source-imports.ts";
import { watchProcess } from "../../../support/watched-process.ts";
import { insideShell } from "./inside-shell.ts";
import { machineState } from "./machine-state.ts";
import { type ControlPlane, prepareNode } from "./node-programs.ts";
import { sandboxTraces } from "./sandbox-traces.ts";
import { type RealNode, startNode } from "./start-node.ts";

// The node itself: pods, their network, names and storage; two side by side; nothing is left, however they end.

const programs = prepareNode();
const clients = findPrograms(kubectlReleases.at(-1)!);
const missing = "missing" in programs ? programs.missing : "missing" in clients ? clients.missing : undefined;
if (missing !== undefined) console.log(`left out: a real node: ${missing}`);
const nodes: RealNode[] = [];

afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
});

test.skipIf(missing !== undefined)(
  "nodes of two control planes run pods with names, Services, storage, logs and exec; the first leaves nothing while the second runs",
  async () => {
    const before = machineState();
    nodes.push(...(await Promise.all([start("launchers"), start("embedded")])));
    await killKubelet(nodes[0]!);
    await Promise.all(nodes.map(usePods));
    for (const node of nodes.splice(0)) {
      expect(sandboxTraces(node.folder)).not.toEqual([]);
      await node.stop();
      expect(sandboxTraces(node.folder)).toEqual([]);
    }
    expect(machineState()).toEqual(before);
  },
);

test.skipIf(missing !== undefined)("nothing is left after kill -9", async () => {
  const before = machineState();
  const words = ["--conditions=@tsbuilder/source", "--import", "tsx", join(import.meta.dirname, "main.ts")];
  const child = spawn(process.execPath, words, { cwd: repository, stdio: ["ignore", "pipe", "pipe"] });
  const { lines, watch, stop } = watchProcess("real-node", child);
  const kubeconfig = await eventually(() => /KUBECONFIG=(\S+)$/m.exec(lines.join("\n"))?.[1] ?? false, watch);
  await applyPods(shellWith(kubeconfig));
  const folder = dirname(kubeconfig);
  expect(sandboxTraces(folder)).toContain(folder);
  await stop("SIGKILL");
  await eventually(() => expect(sandboxTraces(folder)).toEqual([]));
  expect(machineState()).toEqual(before);
});

function start(controlPlane: ControlPlane): Promise<RealNode> {
  const prepared = prepareNode(controlPlane);
  if ("missing" in prepared) throw new Error(prepared.missing);
  return startNode(prepared);
}

/** Kills a kubelet, without which no pod starts: it is started again, as systemd does it. */
async function killKubelet(node: RealNode): Promise<void> {
  const { run } = insideShell(node, shellWith(node.kubeconfig));
  await run("sh", "-c", "kill -9 $(pidof kubelet)");
}

function shellWith(kubeconfig: string): Shell {
  return { folder: import.meta.dirname, env: { KUBECONFIG: kubeconfig } };
}

async function kubectl(shell: Shell, words: string, ...more: string[]): Promise<string> {
  if ("missing" in clients) throw new Error(clients.missing);
  return (await run(shell, clients.kubectl, ...words.split(" "), ...more)).stdout;
}

async function applyPods(shell: Shell): Promise<void> {
  await kubectl(shell, "apply --filename test-pods.yaml");
  await kubectl(shell, `rollout status statefulset/web --timeout=${timeoutIn.journey}`);
}

async function usePods(node: RealNode): Promise<void> {
  const shell = shellWith(node.kubeconfig);
  await applyPods(shell);
  const ask = (url: string): Promise<string> => kubectl(shell, `exec web-0 -- /bin/busybox wget -qO- ${url}`);
  // DNS and kube-proxy follow the pods on their own time.
  expect(await eventually(() => ask("http://web-1.web:8080/"))).toBe("web-1\n");
  const front = await eventually(() => ask("http://front.default.svc.cluster.local/"));
  expect(["web-0\n", "web-1\n"]).toContain(front);
  expect(await kubectl(shell, "logs web-0")).toBe("serving\n");
  await kubectl(shell, "exec web-0 --", "/bin/busybox", "sh", "-c", "echo kept > /data/file");
  const pod = await kubectl(shell, "get pod web-0 --output=jsonpath={.metadata.uid}");
  await kubectl(shell, "delete pod web-0");
  await kubectl(shell, `rollout status statefulset/web --timeout=${timeoutIn.journey}`);
  expect(await kubectl(shell, "get pod web-0 --output=jsonpath={.metadata.uid}")).not.toBe(pod);
  expect(await kubectl(shell, "exec web-0 -- /bin/busybox cat /data/file")).toBe("kept\n");
  await kubectl(shell, "delete statefulset/web pvc/data-web-0 --wait");
  await eventually(async () =>
    expect(await kubectl(shell, "get persistentvolumes --output=jsonpath={..claimRef.name}")).toBe(
      "data-web-1",
    ),
  );
}

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Kubeconfig } from "../../auth/credentials.ts";
import type { ClusterOptions } from "../../start-cluster.ts";

/** A cluster in a separate process. */
export interface ClusterProcess {
  readonly kubeconfig: Kubeconfig;
  /** Kills the process as `kill -9` does; resolves when it has ended. */
  kill(): Promise<void>;
}

/** Starts a cluster in a separate process, for tests of the files that a killed process leaves behind. */
export async function startProcess(options: ClusterOptions): Promise<ClusterProcess> {
  const module = JSON.stringify(new URL("../../start-cluster.ts", import.meta.url).href);
  const script = `
    import { startCluster } from ${module};
    const { kubeconfig } = await startCluster(${JSON.stringify(options)});
    process.stdout.write(JSON.stringify(kubeconfig) + "\\n");`;
  const loader = ["--conditions=@tsbuilder/source", "--import", import.meta.resolve("tsx")];
  const child = spawn(process.execPath, [...loader, "--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return {
    kubeconfig: JSON.parse(await firstLine(child)) as Kubeconfig,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** The first line that a process prints; rejects if it ends without one. */
async function firstLine(child: ChildProcess): Promise<string> {
  let text = "";
  for await (const chunk of child.stdout!) {
    text += String(chunk);
    if (text.includes("\n")) return text.slice(0, text.indexOf("\n"));
  }
  throw new Error("the process of the cluster ended before it printed its kubeconfig");
}

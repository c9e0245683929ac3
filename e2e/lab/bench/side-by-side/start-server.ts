import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { startControlPlane } from "../../../oracle/real/control-plane.ts";
import { findBinaries } from "../../../oracle/real/control-plane-binaries.ts";

/** The API server of both operators, in a separate process. */
export interface BenchServer {
  readonly name: string;
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

/** Starts a real kube-apiserver if one was built and `SERVER` is not `embedded`, else the embedded cluster. */
export async function startServer(folder: string): Promise<BenchServer> {
  const binaries = process.env["SERVER"] === "embedded" ? undefined : findBinaries({ build: false });
  if (binaries && "folder" in binaries) {
    const control = await startControlPlane(binaries.folder);
    // An interrupted run must not leave it running.
    for (const signal of ["SIGINT", "SIGTERM"] as const)
      process.once(signal, () => void control.stop().finally(() => process.exit(1)));
    return { name: "kube-apiserver", kubeconfig: control.kubeconfig, stop: () => control.stop() };
  }
  if (binaries) console.log(`on the embedded cluster: ${binaries.missing}`);
  const server = fork(new URL("../servers/counters-server.ts", import.meta.url), [folder]);
  await once(server, "message");
  return {
    name: "embedded cluster",
    kubeconfig: join(folder, "kubeconfig"),
    async stop() {
      server.disconnect();
      await once(server, "exit");
    },
  };
}

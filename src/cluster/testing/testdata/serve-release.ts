// Serves the release of its first argument until its standard input ends. A process serves one release, and tests share theirs.
import { startTestCluster } from "../index.ts";

const cluster = await startTestCluster({ kubernetesVersion: process.argv[2]!, controllers: ["replicaset", "statefulset"] });
const another = await startTestCluster();
const errors: string[] = [];
for (const kubernetesVersion of ["1.36", "1.9"])
  await startTestCluster({ kubernetesVersion }).catch((error: Error) => errors.push(error.message));
const served = { kubeconfig: cluster.kubeconfig, another: another.kubeconfig, errors };
process.stdout.write(`${JSON.stringify(served)}\n`);
process.stdin.on("end", () => process.exit()).resume();

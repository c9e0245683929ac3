/** An embedded cluster in a separate process; it writes its kubeconfig into the given folder. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startCluster } from "@tsbuilder/cluster";

const [folder = "."] = process.argv.slice(2);
const cluster = await startCluster();
writeFileSync(join(folder, "kubeconfig"), JSON.stringify(cluster.kubeconfig), { mode: 0o600 });
process.send?.("ready");
process.on("disconnect", () => void cluster.stop());

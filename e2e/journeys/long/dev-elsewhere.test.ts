import { join } from "node:path";
import { devElsewhereSuite } from "../../support/dev/dev-elsewhere.ts";
import { startTsbuilder } from "../../support/dev/dev-process.ts";

devElsewhereSuite("another embedded cluster", async (shell) => {
  const kubeconfig = join(shell.folder, "administrator.kubeconfig");
  const cluster = startTsbuilder(shell, "cluster", "start", "--kubeconfig", kubeconfig);
  await cluster.sees("cluster ready at");
  return { kubeconfig, stop: () => cluster.stop() };
});

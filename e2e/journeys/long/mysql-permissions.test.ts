import { FakeClock } from "@tsbuilder/apimachinery/time";
import { type ControllerName, controllerNames } from "@tsbuilder/cluster";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { mysqlPermissions } from "../../support/operators/mysql/suite.ts";

// Each permission of the role is needed: taken away alone, a scenario fails, because the server refuses a request.

const ofNodes: readonly ControllerName[] = ["scheduler", "node", "kubelet"];

mysqlPermissions("the embedded cluster", async () => {
  const clock = new FakeClock();
  const controllers = controllerNames.filter((name) => !ofNodes.includes(name));
  const cluster = await startTestCluster({ controllers, clock });
  return { clock, kubeconfig: await cluster.kubeconfigFile(), stop: () => cluster.stop() };
});

import { type ControllerName, controllerNames } from "@tsbuilder/cluster";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { appServiceKills } from "../../support/operators/appservice/suite.ts";
import { mysqlKills } from "../../support/operators/mysql/suite.ts";

// A killed process leaves sockets open and half of its writes sent: these operators are separate processes, and their
// clusters use the machine's clock.

/** A fake kubelet reports the pods. */
const ofNodes: readonly ControllerName[] = ["scheduler", "node", "kubelet"];

async function start(controllers: readonly ControllerName[]) {
  const cluster = await startTestCluster({ controllers });
  return { kubeconfig: await cluster.kubeconfigFile(), stop: () => cluster.stop() };
}

appServiceKills("the embedded cluster, killed", () => start([]));
mysqlKills("the embedded cluster, killed", () =>
  start(controllerNames.filter((name) => !ofNodes.includes(name))),
);

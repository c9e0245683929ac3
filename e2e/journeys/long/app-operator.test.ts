import { FakeClock } from "@tsbuilder/apimachinery/time";
import { type ControllerName, controllerNames } from "@tsbuilder/cluster";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { appServiceSuiteOnClock, type SuiteCluster } from "../../support/operators/appservice/suite.ts";

async function start(controllers: readonly ControllerName[]): Promise<SuiteCluster> {
  const clock = new FakeClock();
  const cluster = await startTestCluster({ controllers, clock });
  return { clock, kubeconfig: await cluster.kubeconfigFile(), stop: () => cluster.stop() };
}

appServiceSuiteOnClock("the embedded cluster", {
  bare: () => start([]),
  withControllers: () => start(controllerNames),
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient, loadConfig } from "@tsbuilder/runtime";
import type { Pod } from "@tsbuilder/runtime/k8s/core/v1";
import { StorageClass } from "@tsbuilder/runtime/k8s/storage/v1";
import { setupMariaController } from "../../golden/maria-operator/src/controller/maria_controller.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type ApiGateway, startApiGateway } from "../api-gateway.ts";
import { type DecideOutcome, FakeKubelet, volumeProvisioner } from "../fake-kubelet.ts";
import { operatorHost } from "../operator-host.ts";
import type { InstalledOperator, RunningOperator } from "../operator-process.ts";
import type { ClusterWithControllers } from "../reference-operators.ts";
import { repository } from "../source-imports.ts";
import { type RestartScenario, restartScenarios } from "./restarts.ts";
import { readRules } from "./scope.ts";
import { type Scenario, scenarios } from "./scenarios.ts";
import { unusedVerbs } from "./unused-verbs.ts";
import { ScenarioContext, type Environment } from "./context.ts";

/** Runs all scenarios on a cluster with the machine's clock, concurrently, to wait less. */
export function mysqlScenarioSuite(where: string, start: () => Promise<ClusterWithControllers>): void {
  describeScenarios(where, start, { scenarios, restartScenarios, concurrent: true });
}

/**
 * Runs those that don't kill the operator on a cluster with a clock that the test moves, in sequence, as they share
 * the clock.
 */
export function mysqlScenarioSuiteOnClock(where: string, start: () => Promise<ClusterWithControllers>): void {
  describeScenarios(where, start, {
    scenarios,
    restartScenarios: restartScenarios.filter(({ kills }) => !kills),
    concurrent: false,
  });
}

/** Runs those that kill the operator. */
export function mysqlKills(where: string, start: () => Promise<ClusterWithControllers>): void {
  describeScenarios(where, start, {
    scenarios: [],
    restartScenarios: restartScenarios.filter(({ kills }) => kills),
    concurrent: false,
  });
}

/** Which scenarios a suite runs, and how. */
interface SuiteOptions {
  readonly scenarios: readonly Scenario[];
  readonly restartScenarios: readonly RestartScenario[];
  /** True if the scenarios that share a running operator run concurrently. */
  readonly concurrent: boolean;
}

/**
 * The operator runs with its ServiceAccount's token and exactly the generated permissions. The cluster has
 * controllers but no nodes: a fake kubelet reports the pods.
 */
function describeScenarios(
  where: string,
  start: () => Promise<ClusterWithControllers>,
  { scenarios, restartScenarios, concurrent }: SuiteOptions,
): void {
  describe(`the MySQL operator on ${where}`, () => {
    const decisions = new Map<string, DecideOutcome>();
    let cluster: ClusterWithControllers;
    let client: Client;
    let folder: string;
    let gateway: ApiGateway;
    let installed: InstalledOperator;
    let operator: RunningOperator;
    let kubelet: FakeKubelet;
    let environment: Environment;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "mysql-scenarios-"));
      cluster = await start();
      client = createClient(await loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }));
      for (const [name, allowVolumeExpansion] of [
        ["test-growing", true],
        ["test-fixed", false],
      ] as const) {
        const metadata = { name };
        await client.create(StorageClass, { metadata, provisioner: volumeProvisioner, allowVolumeExpansion });
      }
      const outcomeOf = (pod: Pod) => decisions.get(pod.metadata.namespace ?? "")?.(pod);
      kubelet = new FakeKubelet(client, outcomeOf, cluster.clock);
      gateway = await startApiGateway(cluster.kubeconfig, cluster.clock);
      const host = operatorHost(cluster.clock, gateway, [setupMariaController]);
      const project = join(repository, "e2e/golden/maria-operator");
      installed = await host.install({ client, kubeconfig: cluster.kubeconfig, folder, project });
      operator = await installed.start({ server: gateway.url });
      const decidePods = (namespace: string, decide: DecideOutcome) => {
        decisions.set(namespace, decide);
        kubelet.reportAgain();
      };
      environment = { client, gateway, host, operator: () => operator, decidePods };
    });

    afterAll(async () => {
      await operator?.stop();
      await gateway?.close();
      await kubelet?.stop();
      await cluster?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    describe.runIf(scenarios.length > 0)("while it runs", () => {
      const scenarioTest = concurrent ? test.concurrent : test;
      scenarioTest.for(scenarios)("$row: $title", async ({ row, run }) => {
        const context = await new ScenarioContext(environment, row).open();
        await expect(run(context)).resolves.toBeUndefined();
      });

      test.skipIf(concurrent)("each verb of its role was needed by one of these scenarios", () => {
        // Admission asks for this one, when an owner reference blocks its owner's deletion.
        const unused = unusedVerbs(readRules(), gateway.requests);
        expect(unused).toEqual(["update maria/finalizers.data.example.com"]);
      });
    });

    describe("that is stopped and started", () => {
      const stop = async (): Promise<void> => void (await operator.stop());
      beforeAll(stop);
      afterEach(stop);

      test.for(restartScenarios)("$row: $title", async ({ row, run }) => {
        const context = await new ScenarioContext(environment, row).open();
        const start = async () => (operator = await installed.start({ server: gateway.url }));
        await expect(
          run(context, { start, kubeconfig: cluster.kubeconfig, folder }),
        ).resolves.toBeUndefined();
      });
    });
  });
}

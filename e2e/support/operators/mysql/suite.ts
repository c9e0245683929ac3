import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient, loadConfig } from "@tsbuilder/runtime";
import type { Pod } from "@tsbuilder/runtime/k8s/core/v1";
import { StorageClass } from "@tsbuilder/runtime/k8s/storage/v1";
import { setupMariaController } from "../../../golden/maria-operator/src/controller/maria_controller.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type ApiGateway, startApiGateway } from "../api-gateway.ts";
import { type DecideOutcome, FakeKubelet, volumeProvisioner } from "../../cluster/fake-kubelet.ts";
import { operatorHost } from "../operator-host.ts";
import type { InstalledOperator, RunningOperator } from "../operator-process.ts";
import type { ClusterWithControllers } from "../reference-operators.ts";
import { repository } from "../../source-imports.ts";
import { type RestartScenario, restartScenarios } from "./restarts.ts";
import { readRules } from "./scope.ts";
import { type Scenario, scenarios } from "./scenarios.ts";
import { neededFor, permissionsOf } from "../permissions.ts";
import { clearNamespace, runWithout } from "./removed-permission.ts";
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

/** Scenarios that need all permissions between them, and take little time. */
const permissionRows = "T02 T03 T04 T09 T15 T16 T22b T22c T23 T25 T26 T34 E13 N01 S04 V02 V07 V14 V15".split(
  " ",
);

/** Operators that don't watch learn of other changes by what they watch besides. */
const rowsOfHandEdits = ["T09", "V14", "N01"];

/** Runs some, and then each permission's again without it. */
export function mysqlPermissions(where: string, start: () => Promise<ClusterWithControllers>): void {
  describeScenarios(where, start, {
    scenarios: scenarios.filter(({ row }) => permissionRows.includes(row)),
    restartScenarios: [],
    concurrent: false,
    permissions: permissionsOf(readRules()),
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
  /** Permissions to go without, one after the other. */
  readonly permissions?: readonly string[];
}

/**
 * The operator runs with its ServiceAccount's token and exactly the generated permissions. The cluster has
 * controllers but no nodes: a fake kubelet reports the pods.
 */
function describeScenarios(
  where: string,
  start: () => Promise<ClusterWithControllers>,
  { scenarios, restartScenarios, concurrent, permissions = [] }: SuiteOptions,
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
    /** How long each scenario took, and which permissions it used. */
    const uses = new Map<string, { milliseconds: number; permissions: Set<string> }>();
    let usedAtStart: ReadonlySet<string>;

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
      usedAtStart = new Set(gateway.requests.flatMap(neededFor));
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
        const [from, start] = [gateway.requests.length, performance.now()];
        await expect(run(context)).resolves.toBeUndefined();
        if (permissions.length === 0) return;
        const sent = gateway.requests.slice(from);
        const used = new Set(sent.flatMap(neededFor));
        uses.set(row, { milliseconds: performance.now() - start, permissions: used });
        await clearNamespace(context);
      });
    });

    describe.runIf(permissions.length > 0)("with a role that lacks a permission", () => {
      beforeAll(async () => void (await operator.stop()));

      // Admission asks for this one, on servers that check whether an owner's deletion may be blocked; here none does.
      const asked = permissions.filter(
        (permission) => permission !== "update maria/finalizers.data.example.com",
      );
      test.for(asked)("fails a scenario: %s", async (permission) => {
        const rank = ({ row }: Scenario) =>
          permission.startsWith("watch ") && rowsOfHandEdits.includes(row) ? 0 : uses.get(row)!.milliseconds;
        const candidates = scenarios
          .filter(({ row }) => usedAtStart.has(permission) || uses.get(row)?.permissions.has(permission))
          .toSorted((a, b) => rank(a) - rank(b));
        const ends: unknown[] = [];
        for (const scenario of candidates) {
          const context = await new ScenarioContext(environment, scenario.row).open();
          const runs = (started: RunningOperator) => (operator = started);
          const end = await runWithout(permission, scenario, context, {
            installed,
            rules: readRules(),
            runs,
          });
          ends.push({ row: scenario.row, ...end });
          if (end.refused && !end.succeeded) break;
        }
        expect(ends.at(-1)).toMatchObject({ succeeded: false, refused: true });
      });
    });

    describe.runIf(restartScenarios.length > 0)("that is stopped and started", () => {
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

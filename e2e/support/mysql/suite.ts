import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient, loadConfig } from "@tsbuilder/runtime";
import type { Pod } from "@tsbuilder/runtime/k8s/core/v1";
import { StorageClass } from "@tsbuilder/runtime/k8s/storage/v1";
import { setupMariaController } from "../../golden/maria-operator/src/controller/maria_controller.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Fates, PodsRun, volumeProvisioner } from "../../real/pods-run.ts";
import { type ApiGateway, startApiGateway } from "../api-gateway.ts";
import { operatorHost } from "../operator-host.ts";
import type { InstalledOperator, RunningOperator } from "../operator-process.ts";
import type { ClusterWithControllers } from "../reference-operators.ts";
import { repository } from "../source-imports.ts";
import { type Life, lives } from "./lives.ts";
import { type Scenario, scenarios } from "./scenarios.ts";
import { Stage, type Theatre } from "./stage.ts";

/** Plays all scenarios on a cluster with the machine's time, side by side, to wait less. */
export function mysqlScenarioSuite(where: string, start: () => Promise<ClusterWithControllers>): void {
  playAll(where, start, { scenarios, lives, sideBySide: true });
}

/** Plays those that don't kill the operator on a cluster with a clock that is moved, one by one: it is one clock. */
export function mysqlScenarioSuiteOnClock(where: string, start: () => Promise<ClusterWithControllers>): void {
  playAll(where, start, { scenarios, lives: lives.filter(({ kills }) => !kills), sideBySide: false });
}

/** Plays those that kill the operator. */
export function mysqlKills(where: string, start: () => Promise<ClusterWithControllers>): void {
  playAll(where, start, { scenarios: [], lives: lives.filter(({ kills }) => kills), sideBySide: false });
}

/** What is played, and how. */
interface Programme {
  readonly scenarios: readonly Scenario[];
  readonly lives: readonly Life[];
  readonly sideBySide: boolean;
}

/**
 * Plays against the operator with its ServiceAccount's token and exactly the permissions that were generated. The
 * cluster has controllers but no nodes: what becomes of pods is said here.
 */
function playAll(
  where: string,
  start: () => Promise<ClusterWithControllers>,
  { scenarios, lives, sideBySide }: Programme,
): void {
  describe(`the MySQL operator on ${where}`, () => {
    const fates = new Map<string, Fates>();
    let cluster: ClusterWithControllers;
    let client: Client;
    let folder: string;
    let gateway: ApiGateway;
    let installed: InstalledOperator;
    let operator: RunningOperator;
    let pods: PodsRun;
    let theatre: Theatre;

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
      const fateOf = (pod: Pod) => fates.get(pod.metadata.namespace ?? "")?.(pod);
      pods = new PodsRun(client, fateOf, cluster.clock);
      gateway = await startApiGateway(cluster.kubeconfig, cluster.clock);
      const host = operatorHost(cluster.clock, gateway, [setupMariaController]);
      const project = join(repository, "e2e/golden/maria-operator");
      installed = await host.install({ client, kubeconfig: cluster.kubeconfig, folder, project });
      operator = await installed.start({ server: gateway.url });
      const decide = (namespace: string, decided: Fates) => {
        fates.set(namespace, decided);
        pods.lookAgain();
      };
      theatre = { client, gateway, host, operator: () => operator, decide };
    });

    afterAll(async () => {
      await operator?.stop();
      await gateway?.close();
      await pods?.stop();
      await cluster?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    describe.runIf(scenarios.length > 0)("while it runs", () => {
      const inTurn = sideBySide ? test.concurrent : test;
      inTurn.for(scenarios)("$row: $title", async ({ row, play }) => {
        const stage = await new Stage(theatre, row).open();
        await expect(play(stage)).resolves.toBeUndefined();
      });
    });

    describe("from one life to the next", () => {
      const stop = async (): Promise<void> => void (await operator.stop());
      beforeAll(stop);
      afterEach(stop);

      test.for(lives)("$row: $title", async ({ row, play }) => {
        const stage = await new Stage(theatre, row).open();
        const start = async () => (operator = await installed.start({ server: gateway.url }));
        await expect(play(stage, { start, kubeconfig: cluster.kubeconfig, folder })).resolves.toBeUndefined();
      });
    });
  });
}

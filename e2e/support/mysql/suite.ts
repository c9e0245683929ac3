import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient, loadConfig } from "@tsbuilder/runtime";
import { StorageClass } from "@tsbuilder/runtime/k8s/storage/v1";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Fates, letPodsRun, volumeProvisioner } from "../../real/pods-run.ts";
import { type ApiGateway, startApiGateway } from "../api-gateway.ts";
import { type InstalledOperator, installOperator, type RunningOperator } from "../operator-process.ts";
import type { ClusterWithControllers } from "../reference-operators.ts";
import { repository } from "../source-imports.ts";
import { lives } from "./lives.ts";
import { scenarios } from "./scenarios.ts";
import { Stage, type Theatre } from "./stage.ts";

/**
 * Plays the scenarios against the operator as a process of its own, with its ServiceAccount's token and exactly the
 * permissions that were generated. The cluster has controllers but no nodes: what becomes of pods is said here.
 */
export function mysqlScenarioSuite(where: string, start: () => Promise<ClusterWithControllers>): void {
  describe(`the MySQL operator on ${where}`, () => {
    const fates = new Map<string, Fates>();
    const ended = new AbortController();
    let cluster: ClusterWithControllers;
    let client: Client;
    let folder: string;
    let gateway: ApiGateway;
    let installed: InstalledOperator;
    let operator: RunningOperator;
    let pods: Promise<void>;
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
      pods = letPodsRun(client, ended.signal, (pod) => fates.get(pod.metadata.namespace ?? "")?.(pod));
      gateway = await startApiGateway(cluster.kubeconfig);
      const project = join(repository, "e2e/golden/maria-operator");
      installed = await installOperator({ client, kubeconfig: cluster.kubeconfig, folder, project });
      operator = await installed.start({ server: gateway.url });
      theatre = { client, gateway, operator: () => operator, fates };
    });

    afterAll(async () => {
      await operator?.stop();
      await gateway?.close();
      ended.abort();
      await pods?.catch(() => undefined);
      await cluster?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    describe.concurrent("while it runs", () => {
      test.for(scenarios)("$row: $title", async ({ row, play }) => {
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

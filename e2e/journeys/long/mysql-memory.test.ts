import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { createClient, findCondition, loadConfig } from "@tsbuilder/runtime";
import { Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { expect, onTestFinished, test } from "vitest";
import { Maria } from "../../golden/maria-operator/api/v1/maria_types.ts";
import { eventually } from "../../support/eventually.ts";
import { installOperator } from "../../support/operators/operator-process.ts";
import { repository } from "../../support/source-imports.ts";

// Helm keeps each release of a chart in a Secret of up to a mebibyte, in the namespaces that an operator watches.

test("the MySQL operator needs little memory beside 200 Secrets of Helm's size", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mysql-memory-"));
  const cluster = await startTestCluster({ controllers: [] });
  onTestFinished(async () => {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const kubeconfig = await cluster.kubeconfigFile();
  const client = createClient(await loadConfig({ kubeconfig, env: {} }));
  const release = randomBytes(700_000).toString("base64");
  for (let at = 0; at < 200; at += 1) {
    const metadata = { namespace: "default", name: `sh.helm.release.v1.app.v${at}` };
    await client.create(Secret, { metadata, type: "helm.sh/release.v1", data: { release } });
  }
  const project = join(repository, "e2e/golden/maria-operator");
  const installed = await installOperator({ client, kubeconfig, folder, project });
  const operator = await installed.start();
  onTestFinished(async () => void (await operator.stop()));
  const metadata = { namespace: "default", name: "db" };
  await client.create(Secret, {
    metadata: { ...metadata, name: "given" },
    stringData: { password: "first" },
  });
  await client.create(Maria, { metadata, spec: { passwordSecretRef: { name: "given" } } });
  const hasPassword = async (password: string) => {
    const { data } = await client.get(Secret, { ...metadata, name: "db-credentials" });
    expect(Buffer.from(data?.["app"] ?? "", "base64").toString()).toBe(password);
    expect(findCondition((await client.get(Maria, metadata)).status?.conditions, "Degraded")?.status).toBe(
      "False",
    );
  };
  await eventually(() => hasPassword("first"), operator.watch);
  // It hears of changes of a Secret that isn't its own.
  const merge = { stringData: { password: "second" } };
  await client.patch(Secret, { ...metadata, name: "given" }, { merge });
  // There are no servers: this stands for the Job with which they accept the new password.
  const rotation = { ...metadata, name: "db-passwords" };
  const job = await eventually(() => client.get(Job, rotation), operator.watch);
  const now = new Date().toISOString();
  const ended = { status: "True", lastTransitionTime: now, lastProbeTime: now } as const;
  await client.patchStatus(Job, job, {
    startTime: now,
    completionTime: now,
    succeeded: 1,
    conditions: [
      { ...ended, type: "SuccessCriteriaMet" },
      { ...ended, type: "Complete" },
    ],
  });
  await eventually(() => hasPassword("second"), operator.watch);
  const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${operator.pid}/status`, "utf8"))?.[1];
  console.log(`peak of the operator's resident memory: ${Math.round(Number(peak) / 1024)} MiB`);
  expect(Number(peak) / 1024).toBeLessThan(100);
});

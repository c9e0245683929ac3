import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { controllerNames, startCluster } from "@tsbuilder/cluster";
import { startTestManager, type TestManager } from "@tsbuilder/runtime/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findPrograms } from "../../support/kubectl-binaries.ts";
import { run, type Shell, tryRun } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";

// `deploy --wait` on the embedded cluster, where pods become ready without a process: the test serves the webhooks.

const cli = join(repository, "bin/tsbuilder.js");
const programs = findPrograms("33");
const missing = "missing" in programs ? programs.missing : undefined;
if (missing !== undefined) console.log(`left out: deploy --wait with webhooks: ${missing}`);
const work = mkdtempSync(join(tmpdir(), "tsbuilder-deploy-webhooks-"));
const service = { name: "mysql-operator-webhook-service", namespace: "mysql-operator-system" };
let project: Shell;
let cluster: Awaited<ReturnType<typeof startCluster>>;
let operator: TestManager | undefined;

beforeAll(async () => {
  if ("missing" in programs) return;
  cluster = await startCluster({
    controllers: controllerNames,
    resolveService() {
      const [host = "", port] = operator?.manager.addresses.webhooks?.split(":") ?? ["127.0.0.1", "1"];
      return { host, port: Number(port) };
    },
  });
  writeFileSync(join(work, "kubeconfig"), JSON.stringify(cluster.kubeconfig));
  const folder = join(work, "mysql-operator");
  cpSync(join(repository, "e2e/golden/mysql-operator"), folder, { recursive: true });
  const path = `${dirname(programs.kubectl)}:${process.env["PATH"]}`;
  project = { folder, env: { PATH: path, KUBECONFIG: join(work, "kubeconfig"), HOME: work } };
  const kind = ["--group", "apps", "--version", "v1", "--kind", "MySQL"];
  await run(project, "node", cli, "create", "webhook", ...kind, "--defaulting", "--programmatic-validation");
  await run(project, "node", cli, "edit", "--disable", "cert-manager", "--enable", "self-signed");
});

afterAll(async () => {
  await operator?.stop();
  await cluster?.stop();
  rmSync(work, { recursive: true, force: true });
});

test.skipIf(missing !== undefined)("deploy --wait names the webhooks that don't respond", async () => {
  const failed = await tryRun(project, "node", cli, "deploy", "--wait", "--timeout", "5");
  expect(failed.exitCode).toBe(1);
  expect(failed.stderr).toContain("the API server does not reach the operator's webhooks after 5 s");
  expect(failed.stderr).toContain("The operator does not run, and serves no webhooks: ");
  expect(failed.stderr).toMatch(/failed calling webhook "mmysql.*connection refused/);
});

test.skipIf(missing !== undefined)("after deploy --wait, the samples pass the webhooks", async () => {
  const waiting = run(project, "node", cli, "deploy", "--wait");
  operator = await startTestManager(
    {
      kubeconfig: cluster.kubeconfig,
      webhooks: {
        port: 0,
        host: "127.0.0.1",
        selfManaged: { service: service.name, namespace: service.namespace },
      },
    },
    (manager) => {
      manager.webhookAt("/mutate-apps-example-com-v1-mysql", ({ object }) => ({ object: object! }));
      manager.webhookAt("/validate-apps-example-com-v1-mysql", () => {});
    },
  );
  expect((await waiting).stderr).toContain("The Deployment is available.");
  const { stdout } = await run(project, "kubectl", "apply", "--kustomize", "config/samples");
  expect(stdout).toBe("mysql.apps.example.com/mysql-sample created\n");
});

import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { type Cluster, controllerNames, startCluster } from "@tsbuilder/cluster";
import { afterAll, beforeAll, expect, test } from "vitest";
import { timeoutIn } from "../../../.config/limits.ts";
import { findPrograms } from "../../support/kubectl-binaries.ts";
import { type CommandResult, run, type Shell, tryRun } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";

// Obstacles to a deploy or an undeploy, and how they are reported. The tests depend on each other.

const cli = join(repository, "bin/tsbuilder.js");
const programs = findPrograms("33");
const missing = "missing" in programs ? programs.missing : undefined;
if (missing !== undefined) console.log(`left out: obstacles of a deploy: ${missing}`);
const work = mkdtempSync(join(tmpdir(), "tsbuilder-obstacles-"));
const system = "mysql-operator-system";
const manager = "mysql-operator-controller-manager";
let project: Shell;
let cluster: Cluster;

beforeAll(async () => {
  if ("missing" in programs) return;
  cluster = await startCluster({ controllers: controllerNames });
  writeFileSync(join(work, "kubeconfig"), JSON.stringify(cluster.kubeconfig));
  const folder = join(work, "mysql-operator");
  cpSync(join(repository, "e2e/golden/mysql-operator"), folder, { recursive: true });
  const path = `${dirname(programs.kubectl)}:${process.env["PATH"]}`;
  project = { folder, env: { PATH: path, KUBECONFIG: join(work, "kubeconfig"), HOME: work } };
});

afterAll(async () => {
  await cluster?.stop();
  rmSync(work, { recursive: true, force: true });
});

test.skipIf(missing !== undefined)(
  "undeploy names objects with finalizers, and keeps the operator so that it can remove them",
  async () => {
    expect(await tsbuilder("deploy")).toMatchObject({ exitCode: 0 });
    await kubectl("apply", "-k", "config/samples");
    await kubectl("patch", "mysql", "mysql-sample", "--type=merge", "-p", held);
    const hanging = await tsbuilder("undeploy", "--force", "--timeout", "2");
    expect(hanging).toMatchObject({ exitCode: 1, stdout: "" });
    expect(hanging.stderr).toContain(
      "error: not everything was deleted after 2 s\n  MySQL default/mysql-sample waits for example.com/hold\n",
    );
    await kubectl("get", "deployment", manager, "-n", system);

    const advice = /kubectl (patch .*--patch) '(.*)'/.exec(hanging.stderr)!;
    await kubectl(...advice[1]!.split(" "), advice[2]!);
    expect(await tsbuilder("undeploy", "--force")).toMatchObject({ exitCode: 0 });
    expect((await kubectl("get", "crd,deployments", "-A", "-o", "name")).stdout).toBe("");
  },
);

test.skipIf(missing !== undefined)(
  "a stuck namespace is reported with its remaining objects, and deploy asks to wait for it",
  async () => {
    await tsbuilder("deploy");
    await kubectl("create", "configmap", "keeper", "-n", system);
    await kubectl("patch", "configmap", "keeper", "-n", system, "--type=merge", "-p", held);
    const hanging = await tsbuilder("undeploy", "--force", "--timeout", "2");
    expect(hanging.exitCode).toBe(1);
    expect(hanging.stderr).toContain(`Namespace ${system}: Some resources are remaining: configmaps.`);
    expect(hanging.stderr).toContain(
      `hint: see what is left there, and who should delete it: kubectl describe`,
    );

    const refused = await tsbuilder("deploy");
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain("because it is being terminated");
    expect(refused.stderr).toContain("hint: wait until the namespace is deleted");
    await kubectl(
      "patch",
      "configmap",
      "keeper",
      "-n",
      system,
      "--type=json",
      "-p",
      '[{"op":"remove","path":"/metadata/finalizers"}]',
    );
    await kubectl("wait", "--for=delete", `namespace/${system}`, `--timeout=${timeoutIn.journey}`);
    expect(await tsbuilder("deploy")).toMatchObject({ exitCode: 0 });
  },
);

test.skipIf(missing !== undefined)(
  "an unreachable cluster is reported with the reason and a hint",
  async () => {
    const { kubeconfig } = cluster;
    const [context] = kubeconfig.contexts;
    const userOnly = (user: object) => ({ ...kubeconfig, users: [{ name: context.context.user, user }] });
    const ca = createCA({ commonName: "expired" });
    const lastYear = { notBefore: new Date("2024-01-01"), notAfter: new Date("2025-01-01") };
    const serving = issueCertificate(ca, { usages: ["server"], ipAddresses: ["127.0.0.1"], ...lastYear });
    const expired = await startCluster({ controllers: [], certificates: { ca, serving } });
    const ways: [object | undefined, string, string][] = [
      [undefined, "no cluster is selected: the kubeconfig is missing", "hint: set one: kubectl"],
      [
        userOnly({ token: "nobody's" }),
        "or denies access\nerror: You must be logged in",
        "hint: the cluster does not accept",
      ],
      [expired.kubeconfig, "certificate has expired", "hint: renew the expired certificate"],
    ];
    try {
      for (const [config, words, hint] of ways) {
        const file = join(work, config === undefined ? "no-such-file" : "other-kubeconfig");
        if (config !== undefined) writeFileSync(file, JSON.stringify(config));
        const env = { ...project.env, KUBECONFIG: file };
        const failed = await tryRun({ ...project, env }, "node", cli, "deploy");
        expect(failed).toMatchObject({ exitCode: 1, stdout: "" });
        expect(failed.stderr).toContain(words);
        expect(failed.stderr).toContain(hint);
      }
    } finally {
      await expired.stop();
    }
    const elsewhere = await tsbuilder("deploy", "--context", "elsewhere");
    expect(elsewhere.exitCode).toBe(1);
    expect(elsewhere.stderr).toContain("hint: to list the contexts: kubectl config get-contexts");
  },
);

test("each command reports a missing kubectl", async () => {
  const bin = join(work, "bin");
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, "node"));
  const folder = join(repository, "e2e/golden/mysql-operator");
  for (const words of [
    ["deploy"],
    ["undeploy"],
    ["install"],
    ["installer"],
    ["dev", "--context", "any", "--yes"],
  ]) {
    const failed = await tryRun({ folder, env: { PATH: bin, HOME: work } }, "node", cli, ...words);
    expect(failed).toMatchObject({ exitCode: 1, stdout: "" });
    expect(failed.stderr).toContain('error: "kubectl" is not on the PATH\nhint: install kubectl');
  }
});

const held = '{"metadata":{"finalizers":["example.com/hold"]}}';

function tsbuilder(...words: string[]): Promise<CommandResult> {
  return tryRun(project, "node", cli, ...words);
}

function kubectl(...words: string[]): Promise<CommandResult> {
  return run(project, "kubectl", ...words);
}

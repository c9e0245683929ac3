import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { controllerNames } from "@tsbuilder/cluster";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { run as call } from "../../golden/golden-projects.ts";
import { findPrograms } from "../../support/kubectl-binaries.ts";
import { run, type Shell, tryRun } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";

// The workflow that comes with a chart, and the chart's make targets, on the embedded cluster. The tests of a Helm depend
// on each other. Stand-ins replace kind, its download, and the build of the image.

interface Workflow {
  readonly env: Record<string, string>;
  readonly jobs: {
    readonly "test-chart": { readonly steps: readonly { readonly run?: string; readonly if?: string }[] };
  };
}

const workflowFile = ".github/workflows/test-chart.yml";
const name = "mysql-operator";

describe.each([
  ["3", "30"],
  ["4", "36"],
])("with helm %s", (major, release) => {
  const programs = findPrograms(release);
  const isLeftOut = "missing" in programs;
  if (isLeftOut) console.log(`left out: the chart's workflow with helm ${major}: ${programs.missing}`);
  const work = mkdtempSync(join(tmpdir(), "tsbuilder-chart-workflow-"));
  const log = join(work, "calls");
  let cluster: TestCluster;
  let project: Shell;
  let make: (...args: string[]) => Promise<string>;

  beforeAll(async () => {
    if (isLeftOut) return;
    cluster = await startTestCluster({ controllers: controllerNames });
    const folder = join(work, name);
    cpSync(join(repository, "e2e/golden", name), folder, { recursive: true });
    const kubeconfig = await cluster.kubeconfigFile();
    const path = `${standIns(work, log, kubeconfig)}:${dirname(programs.helm)}:${process.env["PATH"]}`;
    project = { folder, env: { PATH: path, HOME: work, KUBECONFIG: kubeconfig } };
    make = async (...args) => (await run(project, "make", ...args)).stdout;
    // The goldens' CRDs are written without Kubernetes' own descriptions.
    await call(["manifests"], folder);
    await run(project, "npm", "run", "build-chart");
    await run(project, "git", "init", "--quiet");
    await commit();
  });

  afterAll(async () => {
    await cluster?.stop();
    rmSync(work, { recursive: true, force: true });
  });

  async function commit(): Promise<void> {
    await run(project, "git", "add", "--all");
    const author = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    await run(project, "git", ...author, "commit", "--quiet", "--message", "a chart");
  }

  /** The workflow's scripts, with its environment. */
  function readWorkflow(): { scripts: string[]; diagnosis: string | undefined; shell: Shell } {
    const { env, jobs } = parse(readFileSync(join(project.folder, workflowFile), "utf8")) as Workflow;
    const { steps } = jobs["test-chart"];
    const scripts = steps.flatMap((step) =>
      step.run === undefined || step.if !== undefined ? [] : step.run,
    );
    const diagnosis = steps.find((step) => step.if === "failure()")?.run;
    return { scripts, diagnosis, shell: { ...project, env: { ...project.env, ...env } } };
  }

  test.skipIf(isLeftOut)("the workflow installs the operator with the image that it built", async () => {
    const { scripts, diagnosis = "", shell } = readWorkflow();
    let stdout = "";
    for (const script of scripts) ({ stdout } = await run(shell, "bash", "-e", "-c", script));
    expect(stdout).toContain("STATUS: deployed");
    const calls = readFileSync(log, "utf8").split("\n").slice(0, -1);
    expect(calls.filter((line) => !line.startsWith("curl "))).toEqual([
      "npm run build-chart",
      "npm ci",
      "npm run build-chart -- --output-dir dist",
      `sha256sum ${shell.env["KIND_SHA256"]}  kind`,
      "sudo install -m 0755 kind /usr/local/bin/kind",
      `kind create cluster --name ${name}-test-e2e`,
      `npm run docker-build -- ${name}:chart`,
      `kind load docker-image ${name}:chart --name ${name}-test-e2e`,
    ]);
    const fields = "jsonpath={.status.readyReplicas} {.spec.template.spec.containers[0].image}";
    const manager = ["deployment", `${name}-controller-manager`, "-n", `${name}-system`];
    expect((await run(project, "kubectl", "get", ...manager, "-o", fields)).stdout).toBe(`1 ${name}:chart`);
    const policy = "jsonpath={.spec.template.spec.containers[0].imagePullPolicy}";
    expect((await run(project, "kubectl", "get", ...manager, "-o", policy)).stdout).toBe("Never");
    expect((await run(shell, "bash", "-e", "-c", diagnosis)).stdout).toContain(`${name}-controller-manager`);
  });

  test.skipIf(isLeftOut)("the targets upgrade, list, roll back and uninstall the release", async () => {
    await make("helm-deploy", "HELM_EXTRA_ARGS=--set manager.replicas=2");
    expect(await make("helm-status")).toContain("REVISION: 2");
    await make("helm-rollback");
    const replicas = ["get", "deployments", "-A", "-o", "jsonpath={.items[*].spec.replicas}"];
    expect((await run(project, "kubectl", ...replicas)).stdout).toBe("1");
    await make("helm-rollback", "HELM_REVISION=2");
    expect((await run(project, "kubectl", ...replicas)).stdout).toBe("2");
    expect((await make("helm-history")).match(/^[1-4]\s.*$/gmu)).toHaveLength(4);
    await make("helm-uninstall");
    expect((await run(project, "kubectl", ...replicas)).stdout).toBe("");
  });

  test.skipIf(isLeftOut)("the workflow fails if a new kind is missing from the chart", async () => {
    await call(["create", "api", "--group", "apps", "--version", "v1", "--kind", "Late"], project.folder);
    await commit();
    const { scripts, shell } = readWorkflow();
    const build = scripts.find((script) => script.includes("build-chart"))!;
    const { exitCode, stdout } = await tryRun(shell, "bash", "-e", "-c", build);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^\+\+\+ b\/dist\/chart\/templates\/crd\/lates.*\.yaml$/mu);
  });

  test.skipIf(isLeftOut)("a deleted workflow stays deleted, and --force writes it anew", async () => {
    const file = join(project.folder, workflowFile);
    const fresh = readFileSync(file, "utf8");
    appendFileSync(file, "# mine\n");
    await call(["chart"], project.folder);
    expect(readFileSync(file, "utf8")).toBe(`${fresh}# mine\n`);
    rmSync(file);
    expect(await call(["chart"], project.folder)).not.toContain(workflowFile);
    await call(["chart", "--force"], project.folder);
    expect(readFileSync(file, "utf8")).toBe(fresh);
  });

  test.skipIf(isLeftOut)("the workflow creates the namespaces that the operator watches", async () => {
    await call(["edit", "--namespaces", "team-a,team-b"], project.folder);
    await call(["chart"], project.folder);
    const { scripts, shell } = readWorkflow();
    await run(
      shell,
      "bash",
      "-e",
      "-c",
      scripts.find((script) => script.includes("create namespace"))!,
    );
    const { stdout } = await run(project, "kubectl", "get", "namespaces", "-o", "name");
    expect(stdout.split("\n")).toEqual(expect.arrayContaining(["namespace/team-a", "namespace/team-b"]));
  });

  test.skipIf(isLeftOut)("a chart in a folder that git ignores gets no workflow", async () => {
    const file = join(project.folder, workflowFile);
    rmSync(file);
    const said = await call(["chart", "--output-dir", "dist/other"], project.folder);
    expect(said).toContain(`"${workflowFile}" was not written`);
    expect(existsSync(file)).toBe(false);
    expect(existsSync(join(project.folder, "dist/other/chart/Chart.yaml"))).toBe(true);
  });
});

test("both workflows that install kind install the same", () => {
  const release = (file: string): string[] =>
    readFileSync(join(repository, "templates", file), "utf8").match(/ KIND_\w+: .*/gu)!;
  const own = release(`helm/workflow/${workflowFile}.hbs`);
  expect(own).toEqual(release("typescript/init/project/.github/workflows/test-e2e.yml.hbs"));
  expect(own).toHaveLength(2);
});

/** Programs that log how they are called, in a folder for the PATH. */
function standIns(work: string, log: string, kubeconfig: string): string {
  const bin = join(work, "bin");
  mkdirSync(bin);
  const programs = {
    npm: `echo "npm $*" >> "${log}"
test "$2" != build-chart && exit 0
shift 2
test "$1" = -- && shift
exec "${process.execPath}" "${join(repository, "bin/tsbuilder.js")}" chart "$@"`,
    // The workflow has a Node that reads TypeScript.
    node: `exec "${process.execPath}" --import "${import.meta.resolve("tsx")}" "$@"`,
    kind: `case "$*" in
"get clusters") ;;
"get kubeconfig"*) cat "${kubeconfig}" ;;
*) echo "kind $*" >> "${log}" ;;
esac`,
    curl: `echo "curl $*" >> "${log}"`,
    sha256sum: `echo "sha256sum $(cat)" >> "${log}"`,
    sudo: `echo "sudo $*" >> "${log}"`,
  };
  for (const [program, script] of Object.entries(programs))
    writeFileSync(join(bin, program), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return bin;
}

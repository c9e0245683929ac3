import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { execa } from "execa";
import { applyPlan } from "../../scaffold/apply.ts";
import { Draft, diskTree } from "../../scaffold/tree.ts";
import { defineCommand } from "../command.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { openProject } from "../open-project.ts";
import { planGenerated } from "../plan-generated.ts";
import type { Ui } from "../ui.ts";

export const test = defineCommand({
  summary: "Run the project's tests on the embedded cluster, or on a real API server",
  description:
    "Brings the manifests up to date, since the tests install them, and runs the npm script test. With --real, startTestCluster() starts a kube-apiserver and an etcd for each suite: those of KUBEBUILDER_ASSETS, or the newest that envtest install brought. Your kubeconfig is not read. What follows -- goes to the test runner.",
  flags: {
    real: { type: "boolean", summary: "run on kube-apiserver and etcd, as envtest does", default: false },
  },
  takesRest: true,
  examples: ["tsbuilder test", "tsbuilder test -- --watch", "tsbuilder test --real"],
  async run({ flags, rest, cwd, ui }) {
    const { root } = openProject(cwd, ui);
    refuseEndlessScript(root);
    const real = flags.real ? await realServer(ui) : {};
    const draft = new Draft(diskTree(root));
    await planGenerated(draft);
    applyPlan(root, draft.changes());
    const { exitCode } = await execa("npm", ["run", "--silent", "test", "--", ...rest], {
      cwd: root,
      // A test that forgets to name its cluster must not reach the one of the person who runs it.
      env: { KUBECONFIG: join(root, ".tsbuilder/no-kubeconfig"), ...real },
      stdio: "inherit",
      reject: false,
    });
    // So a shell says that there is no such program.
    if (exitCode === 127)
      ui.note("Nothing runs the tests yet: install the project's packages with npm install.");
    return exitCode ?? 1;
  },
});

/** The variable by which the test kit learns of the programs. */
async function realServer(ui: Ui): Promise<{ TSBUILDER_TEST_ASSETS: string }> {
  const { findAssets } = await import("../../dev/envtest/find-assets.ts");
  const assets = await findAssets(process.env["KUBEBUILDER_ASSETS"]);
  ui.note(`Each suite starts kube-apiserver and etcd of ${assets}`);
  return { TSBUILDER_TEST_ASSETS: resolve(assets) };
}

function refuseEndlessScript(root: string): void {
  const { scripts = {} } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts?: Readonly<Record<string, string>>;
  };
  const script = scripts["test"];
  if (script !== undefined && !script.includes("tsbuilder test")) return;
  throw new TsbuilderError(
    script === undefined
      ? 'package.json has no script "test"'
      : 'the script "test" in package.json calls us again',
    { code: "INVALID_PROJECT", hint: 'write into its scripts: "test": "vitest run"' },
  );
}

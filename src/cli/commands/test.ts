import { readFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { TsbuilderError } from "../../shared/errors.ts";
import { applyPlan } from "../../scaffold/apply.ts";
import { Draft, diskTree } from "../../scaffold/tree.ts";
import { defineCommand } from "../command.ts";
import { openProject } from "../open-project.ts";
import { planGenerated } from "../plan-generated.ts";

export const test = defineCommand({
  summary: "Run the project's tests on the embedded cluster",
  description:
    "Brings the manifests up to date, since the tests install them, and runs the npm script test. Your kubeconfig is not read. What follows -- goes to the test runner.",
  flags: {
    real: { type: "boolean", summary: "not there yet", default: false, hidden: true },
  },
  takesRest: true,
  examples: ["tsbuilder test", "tsbuilder test -- --watch"],
  async run({ flags, rest, cwd, ui }) {
    if (flags.real) throw noRealServer();

    const { root } = openProject(cwd, ui);
    refuseEndlessScript(root);
    const draft = new Draft(diskTree(root));
    await planGenerated(draft);
    applyPlan(root, draft.changes());
    const { exitCode } = await execa("npm", ["run", "--silent", "test", "--", ...rest], {
      cwd: root,
      // A test that forgets to name its cluster must not reach the one of the person who runs it.
      env: { KUBECONFIG: join(root, ".tsbuilder/no-kubeconfig") },
      stdio: "inherit",
      reject: false,
    });
    return exitCode ?? 1;
  },
});

function noRealServer(): TsbuilderError {
  return new TsbuilderError("the tests run on the embedded cluster, not on a real API server", {
    code: "REFUSED",
    hint: "leave --real away, or start the programs of tsbuilder envtest install in a test of your own",
  });
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

import { existsSync, realpathSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { visibleText } from "@tsbuilder/apimachinery/text";
import { type ImportPlan, type ImportReport, planImport } from "../../../importer/plan-import.ts";
import { planProjectChange } from "../../../plugins/plan-project.ts";
import { packageManagerOf, placeInRepository } from "../../../project/package-manager.ts";
import { projectFile } from "../../../project/store.ts";
import { checkProjectName } from "../../../project/validate.ts";
import { type Plan, diskTree } from "../../../scaffold/tree.ts";
import { TsbuilderError } from "../../../shared/errors.ts";
import { count } from "../../../shared/text.ts";
import { type Invocation, defineCommand, flag } from "../../arguments/command.ts";
import { installDependencies } from "../../packages/install-dependencies.ts";
import { scaffoldLock } from "../../packages/lock-file.ts";
import { withProjectLock } from "../../project/lock-project.ts";
import { applyOrShow, planFlags, recoverProject } from "../../project/open-project.ts";

const importProject = defineCommand({
  description:
    "Makes a project in this folder of a kubebuilder project in another one: kinds with their types, markers and webhooks, controllers without their logic, samples and further roles. It compares the manifests with those of the Go project, and names what differs or has no counterpart. Nothing of the Go project is run.",
  flags: {
    "project-name": flag.string("project name (default: that of the Go project)", "NAME", {
      check: checkProjectName,
    }),
    "skip-install": flag.switch("do not install the packages"),
    ...planFlags,
  },
  positionals: ["<folder>"],
  examples: ["mkdir shop && cd shop && tsbuilder import ../shop-go"],
  async run(call) {
    const { flags, cwd, ui, positionals, name } = call;
    const source = resolve(cwd, positionals[0]!);
    refuseFolders(source, cwd);
    const imported = await planImport(source, {
      cliVersion: call.host.version(),
      projectName: flags["project-name"],
    });
    const isShown = flags["dry-run"] || flags.diff;
    const write = async (): Promise<boolean> => {
      recoverProject(cwd, ui);
      refuseFolders(source, cwd);
      return applyOrShow(cwd, await planProject(call, imported), flags, ui);
    };
    const isWritten = isShown
      ? applyOrShow(cwd, await planProject(call, imported), flags, ui)
      : await withProjectLock(cwd, { name, note: (text) => ui.note(text) }, write);
    if (isWritten && !flags["skip-install"]) installDependencies(cwd, ui, { locked: true });
    const report = imported.report();
    for (const line of describeReport(report)) ui.print(visibleText(line));
    const differs = report.errors.length > 0 || (report.comparison?.differences.length ?? 0) > 0;
    if (isWritten)
      ui.print("\nNext: move the logic of the controllers, then try it with\n  npm test\n  npm run dev");
    return differs ? 1 : 0;
  },
});
// The name of the command is a reserved word.
export { importProject as import };

async function planProject(
  { cwd, host }: Pick<Invocation, "cwd" | "host">,
  imported: ImportPlan,
): Promise<Plan> {
  const { project, boilerplate, content, generate } = imported;
  const vendor = await host.vendorPackages();
  const manager = packageManagerOf(cwd);
  return planProjectChange({
    folder: cwd,
    tree: diskTree(cwd),
    before: undefined,
    after: project,
    boilerplate,
    packages: vendor.packages,
    manager,
    place: placeInRepository(cwd),
    imported: content,
    extraFiles: new Map<string, string | Uint8Array>([
      ...vendor.files,
      ...scaffoldLock(cwd, project, vendor, manager),
    ]),
    generate,
  });
}

/** Refuses a folder that has a project, and one inside of the other. */
function refuseFolders(source: string, cwd: string): void {
  if (existsSync(join(cwd, projectFile))) {
    throw new TsbuilderError(`"${cwd}" already contains a project: "${projectFile}" exists`, {
      code: "ALREADY_INITIALIZED",
      hint: "import into an empty folder: mkdir ../NAME && cd ../NAME",
    });
  }
  if (!existsSync(source)) return;
  const between = relative(realpathSync(source), realpathSync(cwd));
  if (between !== "" && between.startsWith("..")) return;
  throw new TsbuilderError(`"${cwd}" is in the Go project`, {
    code: "REFUSED",
    hint: "import into a folder outside of it: mkdir ../NAME && cd ../NAME",
  });
}

function describeReport({ leftOut, errors, comparison }: ImportReport): string[] {
  const list = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ["", title, ...lines.map((line) => `  ${line}`)];
  return [
    ...list("Left to you:", leftOut),
    ...list("The types need a change before manifests can be generated:", errors),
    ...(comparison === undefined ? [] : ["", summary(comparison)]),
    ...list("What differs from the manifests of the Go project:", comparison?.differences ?? []),
    ...list(
      "What differs within types of Kubernetes, which are those of 1.36 here:",
      comparison?.kubernetes ?? [],
    ),
  ];
}

function summary({ crds, differences, descriptions }: NonNullable<ImportReport["comparison"]>): string {
  if (crds.length === 0 && differences.length === 0)
    return "The Go project has no CRDs to compare with: run make manifests in it first.";
  const result =
    differences.length === 0 ? "CRDs, roles and webhooks are equal" : count(differences.length, "difference");
  const worded =
    descriptions === 0
      ? ""
      : `; ${count(descriptions, "description")} of Kubernetes' types are worded otherwise`;
  return `Compared with the Go project's manifests (${count(crds.length, "CRD")}): ${result}${worded}.`;
}

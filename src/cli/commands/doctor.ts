import { defineCommand } from "../arguments/command.ts";
import { checkApis } from "../doctor/check-apis.ts";
import { checkRelease } from "../doctor/check-release.ts";
import { checkConflicts, checkProject } from "../doctor/check-project.ts";
import { checkLock, checkPackages, checkPlace } from "../doctor/check-packages.ts";
import { checkTools } from "../doctor/check-tools.ts";
import type { Finding } from "../reporting/report.ts";
import { findProjectRoot } from "../../project/store.ts";
import { describeUnfinished, type OpenProject, viewProject } from "../project/open-project.ts";

export const doctor = defineCommand({
  description:
    "Finds what is missing, out of date or wrong, and which kinds of Kubernetes that the project uses a release lacks, deprecates or has removed. Changes nothing, runs nothing of the project, and does not contact the cluster. Exits with 1 if something is wrong.",
  flags: {},
  examples: ["tsbuilder doctor", "tsbuilder doctor --output json"],
  async run({ cwd, ui }) {
    const tools = await checkTools();
    const isProject = findProjectRoot(cwd) !== undefined;
    const project = isProject ? await checkAll(viewProject(cwd, { note: () => undefined })) : [];
    const findings = [...tools, ...project];
    ui.add?.({ findings });
    ui.print(["This machine:", ...tools.map(describeFinding)].join("\n"));
    if (isProject) ui.print(["", "This project:", ...project.map(describeFinding)].join("\n"));
    return findings.some(({ state }) => state === "wrong") ? 1 : 0;
  },
});

async function checkAll(project: OpenProject): Promise<Finding[]> {
  const { root, tree } = project;
  const unfinished = describeUnfinished(root);
  if (unfinished !== undefined) return [{ state: "wrong", subject: ".tsbuilder/stage", ...unfinished }];
  // With conflict markers, files can't be parsed: other checks would only report that.
  const conflicts = checkConflicts(tree);
  if (conflicts.length > 0) return [...checkPackages(root, tree), ...conflicts];
  const packages = [...checkPackages(root, tree), ...checkLock(root, tree), ...checkPlace(root, tree)];
  return [...packages, ...(await checkProject(project)), ...checkApis(tree), ...checkRelease(root, tree)];
}

const signs = { good: "+", missing: "-", wrong: "!" } as const;

function describeFinding({ state, subject, message, remedy }: Finding): string {
  const line = `  ${signs[state]} ${subject}: ${message}`;
  return remedy === undefined ? line : `${line}\n      ${remedy}`;
}

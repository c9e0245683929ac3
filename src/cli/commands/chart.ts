import { join } from "node:path";
import type { FeatureName } from "../../project/features.ts";
import { findOwnPackage } from "../../packaging/own-package.ts";
import type { FileChange } from "../../scaffold/file-change.ts";
import { Draft, everythingBelow } from "../../scaffold/tree.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { carryOut, planFlags } from "../carry-out.ts";
import { overrideFlags } from "../cluster-flags.ts";
import { defineCommand } from "../command.ts";
import { type OpenProject, openToChange } from "../open-project.ts";
import { planProjectChange } from "../plan-project.ts";

export const chart = defineCommand({
  summary: "Write a Helm chart of the operator",
  description:
    "Makes dist/chart from config/, with values for what people set otherwise. Templates of objects are written anew each time; Chart.yaml, values.yaml, NOTES.txt and _helpers.tpl are yours once they are there.",
  flags: {
    image: overrideFlags.image,
    "output-dir": {
      type: "string",
      summary: "folder of the project in which the folder chart is written",
      placeholder: "DIR",
      default: "dist",
      check: checkFolder,
    },
    force: { type: "boolean", summary: "write values.yaml and the like anew, too", default: false },
    ...planFlags,
  },
  examples: [
    "tsbuilder chart --image registry.example.com/mysql-operator:v1.0.0",
    "helm install mysql-operator dist/chart --namespace mysql-operator-system --create-namespace",
  ],
  async run(call) {
    const { flags, ui } = call;
    return openToChange(call, async (project) => {
      const [{ planChart }, { renderChanged }] = await Promise.all([
        import("../../chart/plan-chart.ts"),
        import("../../chart/render-all.ts"),
      ]);
      const { changes, notes } = await withEverySwitch(project);
      const draft = new Draft(project.tree);
      const own = planChart(draft, {
        project: project.project,
        objects: await renderChanged(project.root, changes, { image: flags.image }),
        folder: `${flags["output-dir"].replace(/\/+$/u, "")}/chart`,
        files: everythingBelow(project.root),
        templates: everythingBelow(join(findOwnPackage().folder, "templates")),
        version: readVersion(project),
        force: flags.force,
        isImageGiven: flags.image !== undefined,
      });
      carryOut(project.root, { changes: draft.changes(), notes: [...notes, ...own] }, flags, ui);
    });
  },
});

/** What an installation may switch on although the project has it off. */
const SWITCHES: readonly FeatureName[] = ["metrics", "prometheus", "network-policy"];

/** The files of the project as they would be with everything on that the chart has a switch for. */
async function withEverySwitch({
  tree,
  project,
  text,
}: OpenProject): Promise<{ changes: readonly FileChange[]; notes: readonly string[] }> {
  const plan = (enable: readonly FeatureName[]): ReturnType<typeof planProjectChange> =>
    planProjectChange({
      tree,
      before: { project, text },
      after: { ...project, features: [...new Set([...project.features, ...enable])] },
      make: true,
    });
  try {
    return { changes: (await plan(SWITCHES)).changes, notes: [] };
  } catch (error) {
    if (!(error instanceof TsbuilderError) || error.code === "INVALID_SOURCE") throw error;
    // Somebody made config/ their own: then the chart has what they have.
    const { changes } = await plan([]);
    return {
      changes,
      notes: [`The chart has switches only for what the project has, because ${error.message}.`],
    };
  }
}

function readVersion({ tree }: OpenProject): string {
  const { version = "0.1.0" } = JSON.parse(tree.read("package.json") ?? "{}") as { version?: string };
  return version;
}

function checkFolder(folder: string): string {
  if (folder !== "" && !folder.startsWith("/") && !folder.split("/").includes("..")) return folder;
  throw new TsbuilderError(`"${folder}" is not a folder of the project`, {
    code: "INVALID_ARGUMENT",
    hint: "name one from the project's own folder, like --output-dir dist",
  });
}

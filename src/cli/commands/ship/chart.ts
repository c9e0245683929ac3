import type { FeatureName } from "../../../project/project.ts";
import { everythingBelow } from "../../../scaffold/tree.ts";
import { TsbuilderError } from "../../../shared/errors.ts";
import { type OpenProject, changeFiles, planFlags } from "../../project/open-project.ts";
import { checkFolder } from "../../arguments/flag-values.ts";
import { overrideFlags } from "../../arguments/cluster-flags.ts";
import { defineCommand, flag } from "../../arguments/command.ts";
import { generatorsIf } from "../../project/plan-generated.ts";
import { planProjectChange } from "../../../plugins/plan-project.ts";
import { readPackageVersion } from "../../packages/manifest.ts";
import { isIgnored } from "../../project/git.ts";

export const chart = defineCommand({
  description:
    "Generates dist/chart from config/, with values for the settings that people usually change. The templates are regenerated on every run; Chart.yaml, values.yaml, NOTES.txt and _helpers.tpl are written once and are then yours to edit, as is .github/workflows/test-chart.yml, which tests the chart.",
  flags: {
    image: overrideFlags.image,
    "output-dir": flag.string("folder in the project to write the chart to, as its subfolder chart", "DIR", {
      default: "dist",
      check: checkFolder,
    }),
    force: flag.switch("overwrite values.yaml and the other files that are yours, too"),
    workflow: flag.switch(
      "overwrite .github/workflows/test-chart.yml, or add it to a project that has a chart already",
    ),
    ...planFlags,
  },
  examples: [
    "tsbuilder chart --image registry.example.com/mysql-operator:v1.0.0",
    "helm install mysql-operator dist/chart --namespace mysql-operator-system --create-namespace",
  ],
  async run(call) {
    const { flags } = call;
    return changeFiles(call, async (draft, project) => {
      const [{ planChart }, { renderChanged }] = await Promise.all([
        import("../../../chart/plan-chart.ts"),
        import("../../../ship/render.ts"),
      ]);
      const { changes, notes } = await planEverySwitch(project);
      const folder = `${flags["output-dir"].replace(/\/+$/u, "")}/chart`;
      const chartNotes = planChart(draft, {
        project: project.project,
        objects: await renderChanged(project.root, "default", changes, { image: flags.image }),
        folder,
        files: everythingBelow(project.root),
        version: readPackageVersion(project.tree),
        force: flags.force,
        workflow: flags.workflow,
        isIgnored: isIgnored(project.root, `${folder}/Chart.yaml`),
        isImageGiven: flags.image !== undefined,
      });
      return [...notes, ...chartNotes];
    });
  },
});

/** Features that have a switch in the chart's values, also if the project has them disabled. */
const switchedFeatures: readonly FeatureName[] = ["metrics", "prometheus", "alerts", "network-policy"];

/** Plans the project's files with every feature that has a switch in the chart; if the user's edits prevent that, notes why. */
async function planEverySwitch({ root, tree, project, text }: OpenProject) {
  const plan = (enable: readonly FeatureName[]): ReturnType<typeof planProjectChange> =>
    planProjectChange({
      folder: root,
      tree,
      before: { project, text },
      after: { ...project, features: [...new Set([...project.features, ...enable])] },
      generate: generatorsIf(true),
    });
  try {
    return { changes: (await plan(switchedFeatures)).changes, notes: [] };
  } catch (error) {
    if (!(error instanceof TsbuilderError) || error.code === "INVALID_SOURCE") throw error;
    // The user has changed config/ so that a feature can't be added: the chart has the present files.
    const { changes } = await plan([]);
    return {
      changes,
      notes: [
        `The chart can only switch the features that the project has enabled, because ${error.message}.`,
      ],
    };
  }
}

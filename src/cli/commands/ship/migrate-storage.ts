import { announceTarget, clusterFlags } from "../../arguments/cluster-flags.ts";
import { defineCommand, flag, invalidArgument } from "../../arguments/command.ts";
import { showProgress } from "../../reporting/progress.ts";
import { openProject } from "../../project/open-project.ts";

export const migrateStorage = defineCommand({
  description:
    "An object stays stored in the version that was the CRD's storage version when the object was last written. Writes all objects again, unchanged, and then removes the other versions from the CRD's status.storedVersions, so that a release may drop them. Continues where an interrupted run ended. An operator does the same with manager.migrateStorage.",
  flags: {
    ...clusterFlags,
    crd: flag.list("CRDs whose objects are migrated (default: those of the project)", "NAME"),
    "objects-per-second": flag.number("the most objects that are written in a second", "N", {
      default: 100,
      check: checkRate,
    }),
  },
  examples: [
    "tsbuilder migrate storage",
    "tsbuilder migrate storage --context prod --crd mysqls.apps.example.com",
  ],
  async run({ flags, cwd, ui }) {
    const { migrateStorage: migrate } = await import("../../../ship/cluster/migrate-storage.ts");
    const crds = flags.crd ?? (await projectCrds(openProject(cwd, ui).root));
    if (crds.length === 0)
      throw invalidArgument("the project has no CRDs", "name some of the cluster: --crd NAME");
    await announceTarget(flags, ui, { action: "Migrating stored objects" });
    const objectsPerSecond = flags["objects-per-second"];
    const show = showProgress(ui);
    const lines = await migrate({
      ...flags,
      crds,
      objectsPerSecond,
      onProgress: ({ crd, version, written, total }) =>
        show({ name: crd, done: written, total, words: `objects are stored in ${version}` }),
      onNote: (line) => ui.note(line),
    });
    ui.print(lines.join("\n"));
  },
});

async function projectCrds(root: string): Promise<string[]> {
  const { renderCrds } = await import("../../../ship/cluster/deploy.ts");
  return (await renderCrds(root)).map(({ metadata }) => metadata.name);
}

function checkRate(rate: string): void {
  if (!/^[1-9]\d*$/u.test(rate))
    throw invalidArgument(`"${rate}" is not a number of objects`, "use a whole number, such as 100");
}

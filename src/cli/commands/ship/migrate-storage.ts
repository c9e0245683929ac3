import { announceTarget, clusterFlags } from "../../arguments/cluster-flags.ts";
import { defineCommand, flag, invalidArgument } from "../../arguments/command.ts";
import { openProject } from "../../project/open-project.ts";

export const migrateStorage = defineCommand({
  description:
    "Objects stay stored in the version that was the CRD's storage version when they were written last. Writes them again, unchanged, and then removes the other versions from the CRD's status.storedVersions, so that a release may drop them. Goes on where an interrupted run ended. An operator does the same with manager.migrateStorage.",
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
    const onProgress = (line: string): void => ui.note(line);
    ui.print((await migrate({ ...flags, crds, objectsPerSecond, onProgress })).join("\n"));
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

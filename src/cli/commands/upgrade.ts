import { listVendored } from "../../packaging/vendor.ts";
import { formatProject, projectFile } from "../../project/store.ts";
import { OwnedFiles } from "../../scaffold/ownership.ts";
import { planUpgrade } from "../../scaffold/plan-upgrade.ts";
import { Draft } from "../../scaffold/tree.ts";
import { applyOrShow, planFlags } from "../apply-or-show.ts";
import { defineCommand, type FlagValues, type Invocation } from "../command.ts";
import type { VendorPackages } from "../host.ts";
import { installDependencies } from "../install-dependencies.ts";
import { type OpenProject, openToChange } from "../open-project.ts";
import { planFresh } from "../plan-fresh.ts";
import { makeFlag } from "../resource-flags.ts";

const flags = {
  keep: {
    type: "boolean",
    summary: "on conflicts, keep your version and write the new one to FILE.new",
    default: false,
  },
  force: { type: "boolean", summary: "on conflicts, overwrite your version", default: false },
  make: makeFlag,
  "skip-install": { type: "boolean", summary: "do not run npm install", default: false },
  ...planFlags,
} as const;

export const upgrade = defineCommand({
  summary: "Upgrade the project to the running version of tsbuilder",
  description:
    "Compares what the project's own tsbuilder scaffolds with what the new version does, and applies what the new version scaffolds differently. The same goes for its plugins. Your edits are kept; on conflicts, nothing is written until you choose --keep or --force.",
  flags,
  examples: ["tsbuilder upgrade --diff", "tsbuilder upgrade --keep"],
  async run(call) {
    const { flags, ui } = call;
    const root = await openToChange(call, (opened) => writeUpgrade(opened, call));
    if (root === undefined) return;
    if (!flags["skip-install"]) installDependencies(root, ui);
    ui.print(`\nThe project is now at version ${call.host.version()}. Next: npm run vet, npm test`);
  },
});

type Call = Pick<Invocation, "ui" | "host"> & { readonly flags: FlagValues<typeof flags> };

/** Writes the upgraded project. Returns its root, or undefined if nothing was written. */
async function writeUpgrade(opened: OpenProject, { flags, ui, host }: Call): Promise<string | undefined> {
  const { root, tree, project, text } = opened;
  const version = host.version();
  if (project.cliVersion === version && !(await haveOtherPlugins(opened))) {
    ui.print(`The project is already at version ${version}.`);
    return undefined;
  }
  const after = { ...project, cliVersion: version };
  const vendor = await host.vendorPackages();
  const draft = new Draft(tree);
  const owned = OwnedFiles.read(tree);
  const notes = planUpgrade(draft, {
    base: without(await host.baseline(root), projectFile),
    next: (await planFresh(opened, after, vendor)).filter(({ path }) => path !== projectFile),
    owned,
    force: flags.force,
    keep: flags.keep,
  });
  replaceVendored(draft, listVendored(root), vendor);
  draft.write(projectFile, formatProject(after, text), "generated");
  if (flags.make) {
    const { planGenerated } = await import("../plan-generated.ts");
    notes.push(...(await planGenerated(draft)));
  }
  owned.record(draft);
  return applyOrShow(root, { changes: draft.changes(), notes }, flags, ui) ? root : undefined;
}

async function haveOtherPlugins({ project, tree, root }: OpenProject): Promise<boolean> {
  if (project.plugins.length === 0) return false;
  const { haveOtherVersions } = await import("../../plugins/contributed/plan-plugins.ts");
  return haveOtherVersions(project, tree, root);
}

function without(files: ReadonlyMap<string, string>, path: string): ReadonlyMap<string, string> {
  return new Map([...files].filter(([name]) => name !== path));
}

function replaceVendored(draft: Draft, before: readonly string[], { files }: VendorPackages): void {
  for (const path of before) if (!files.has(path)) draft.remove(path);
  for (const [path, bytes] of files) if (!draft.has(path)) draft.write(path, bytes, "generated");
}

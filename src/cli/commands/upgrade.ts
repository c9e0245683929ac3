import { listVendored } from "../../packaging/vendor.ts";
import { formatProject, PROJECT_FILE } from "../../project/store.ts";
import { OwnedFiles } from "../../scaffold/ownership.ts";
import { planUpgrade } from "../../scaffold/plan-upgrade.ts";
import { Draft } from "../../scaffold/tree.ts";
import { carryOut, planFlags } from "../carry-out.ts";
import { defineCommand, type FlagValues, type Invocation } from "../command.ts";
import type { VendorPackages } from "../host.ts";
import { installDependencies } from "../install-dependencies.ts";
import { type OpenProject, openToChange } from "../open-project.ts";
import { planFresh } from "../plan-fresh.ts";
import { makeFlag } from "../resource-flags.ts";

const flags = {
  keep: {
    type: "boolean",
    summary: "where both changed a place, leave yours, and write ours beside it as FILE.new",
    default: false,
  },
  force: { type: "boolean", summary: "where both changed a place, replace yours", default: false },
  make: makeFlag,
  "skip-install": { type: "boolean", summary: "leave out npm install", default: false },
  ...planFlags,
} as const;

export const upgrade = defineCommand({
  summary: "Bring the project to the version of the tsbuilder that runs",
  description:
    "Asks the project's own tsbuilder what it had scaffolded, and takes over what its successor scaffolds otherwise. Your changes stay; where both changed the same place, nothing is written before you say how.",
  flags,
  examples: ["tsbuilder upgrade --diff", "tsbuilder upgrade --keep"],
  async run(call) {
    const { flags, ui } = call;
    const root = await openToChange(call, (opened) => writeUpgrade(opened, call));
    if (root === undefined) return;
    if (!flags["skip-install"]) installDependencies(root);
    ui.print(`\nThe project is of version ${call.host.version()} now. Next: npm run vet, npm test`);
  },
});

type Call = Pick<Invocation, "ui" | "host"> & { readonly flags: FlagValues<typeof flags> };

/** Writes the upgraded project, and returns where it is; undefined when nothing was written. */
async function writeUpgrade(opened: OpenProject, { flags, ui, host }: Call): Promise<string | undefined> {
  const { root, tree, project, text } = opened;
  const version = host.version();
  if (project.cliVersion === version) {
    ui.print(`The project is of version ${version}, as this tsbuilder is.`);
    return undefined;
  }
  const after = { ...project, cliVersion: version };
  const vendor = await host.vendorPackages();
  const draft = new Draft(tree);
  const owned = OwnedFiles.read(tree);
  const notes = planUpgrade(draft, {
    base: without(await host.baseline(root), PROJECT_FILE),
    next: (await planFresh(opened, after, vendor)).filter(({ path }) => path !== PROJECT_FILE),
    owned,
    force: flags.force,
    keep: flags.keep,
  });
  replaceVendored(draft, listVendored(root), vendor);
  draft.write(PROJECT_FILE, formatProject(after, text), "generated");
  if (flags.make) {
    const { planGenerated } = await import("../plan-generated.ts");
    notes.push(...(await planGenerated(draft)));
  }
  owned.record(draft);
  return carryOut(root, { changes: draft.changes(), notes }, flags, ui) ? root : undefined;
}

function without(files: ReadonlyMap<string, string>, path: string): ReadonlyMap<string, string> {
  return new Map([...files].filter(([name]) => name !== path));
}

function replaceVendored(draft: Draft, before: readonly string[], { files }: VendorPackages): void {
  for (const path of before) if (!files.has(path)) draft.remove(path);
  for (const [path, bytes] of files) if (!draft.has(path)) draft.write(path, bytes, "generated");
}

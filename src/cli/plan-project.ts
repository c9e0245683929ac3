import { join } from "node:path";
import { findOwnPackage } from "../packaging/own-package.ts";
import type { PackageSpecifiers } from "../plugins/plugin.ts";
import { describeProject, emptyBlueprint } from "../plugins/index.ts";
import { formatBoilerplate } from "../project/boilerplate.ts";
import type { Project } from "../project/project.ts";
import { formatProject, PROJECT_FILE } from "../project/store.ts";
import type { Plan } from "../scaffold/file-change.ts";
import { OwnedFiles } from "../scaffold/ownership.ts";
import { planScaffold } from "../scaffold/plan.ts";
import { Draft, everythingBelow, type Tree } from "../scaffold/tree.ts";
import { formatCreated } from "./format-created.ts";

/** From one description of a project to the next one. */
export interface ProjectChange {
  /** Where the project is on disk, and with it its formatter. */
  readonly root?: string;
  readonly tree: Tree;
  /** Undefined for a project that is only starting. */
  readonly before: { readonly project: Project; readonly text: string } | undefined;
  readonly after: Project;
  /** The text of a licence header of the user's own. */
  readonly boilerplate?: string;
  readonly packages?: PackageSpecifiers;
  /** Files that come with the change but no template makes. */
  readonly extraFiles?: ReadonlyMap<string, string | Uint8Array>;
  /** Parts to write anew, by the start of their keys. */
  readonly rewrite?: (key: string) => boolean;
  readonly force?: boolean;
  readonly keep?: boolean;
  /** Run the generators over the changed project, too. */
  readonly make?: boolean;
}

/** Computes in memory everything that a change of the project's description does to its files. */
export async function planProjectChange(change: ProjectChange): Promise<Plan> {
  const { tree, before, after, packages = noPackages } = change;
  const draft = new Draft(tree);
  const owned = OwnedFiles.read(tree);
  const surroundings = { boilerplate: change.boilerplate ?? readBoilerplate(tree, after), packages };
  const blueprint = describeProject(after, surroundings);
  const { notes, moves } = planScaffold(draft, {
    before: before
      ? describeProject(before.project, { boilerplate: readBoilerplate(tree, before.project), packages })
      : emptyBlueprint,
    after: blueprint,
    templates: everythingBelow(join(findOwnPackage().folder, "templates")),
    owned,
    rewrite: new Set(blueprint.parts.map(({ key }) => key).filter((key) => change.rewrite?.(key))),
    force: change.force ?? false,
    keep: change.keep ?? false,
  });
  for (const [path, content] of change.extraFiles ?? []) draft.write(path, content, "generated");
  draft.write(PROJECT_FILE, formatProject(after, before?.text), "generated");
  if (change.make) {
    const { planGenerated } = await import("./plan-generated.ts");
    notes.push(...(await planGenerated(draft)));
  }
  if (change.root !== undefined) formatCreated(change.root, draft);
  owned.record(draft);
  return { changes: draft.changes(), notes, moves };
}

/** The header is what stands in `hack/`; a project that has none yet gets the one of its licence. */
function readBoilerplate(tree: Tree, project: Project): string {
  return tree.read("hack/boilerplate.ts.txt")?.trimEnd() ?? formatBoilerplate(project);
}

/** Only `init` writes `package.json`; later it is the user's, and the same before and after. */
const noPackages: PackageSpecifiers = { runtime: "", cluster: "", tsbuilder: "" };

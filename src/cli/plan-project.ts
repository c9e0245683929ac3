import type { PackageSpecifiers } from "../plugins/plugin.ts";
import { describeProject, emptyBlueprint } from "../plugins/index.ts";
import { formatBoilerplate } from "../project/boilerplate.ts";
import type { Project } from "../project/project.ts";
import { formatProject, parseProject, projectFile } from "../project/store.ts";
import type { Plan } from "../scaffold/file-change.ts";
import { OwnedFiles } from "../scaffold/ownership.ts";
import { planScaffold } from "../scaffold/plan.ts";
import { Draft, type Tree } from "../scaffold/tree.ts";
import { withPlainLineEnds } from "../shared/line-ends.ts";
import { formatCreated } from "./format-created.ts";

/** A change from one project description to another. */
export interface ProjectChange {
  /** The root folder of the project, where its formatter is installed. */
  readonly root?: string;
  readonly tree: Tree;
  /** Undefined for a new project. */
  readonly before: { readonly project: Project; readonly text: string } | undefined;
  readonly after: Project;
  /** The text of a custom license header. */
  readonly boilerplate?: string;
  readonly packages?: PackageSpecifiers;
  /** Additional files that no template renders. */
  readonly extraFiles?: ReadonlyMap<string, string | Uint8Array>;
  /** Parts to overwrite, by key prefix. */
  readonly rewrite?: (key: string) => boolean;
  readonly force?: boolean;
  readonly keep?: boolean;
  /** Also runs the generators on the changed project. */
  readonly make?: boolean;
}

/** Computes all file changes that follow from a change of the project's description. */
export async function planProjectChange(change: ProjectChange): Promise<Plan> {
  const { tree, before, after, packages = noPackages } = change;
  const draft = new Draft(tree);
  const owned = OwnedFiles.read(tree);
  const inputs = { boilerplate: change.boilerplate ?? readBoilerplate(tree, after), packages };
  const blueprint = describeProject(after, inputs);
  const { notes, moves } = planScaffold(draft, {
    before: before
      ? describeProject(before.project, { boilerplate: readBoilerplate(tree, before.project), packages })
      : emptyBlueprint,
    after: blueprint,
    owned,
    rewrite: new Set(blueprint.parts.map(({ key }) => key).filter((key) => change.rewrite?.(key))),
    force: change.force ?? false,
    keep: change.keep ?? false,
  });
  for (const [path, content] of change.extraFiles ?? []) draft.write(path, content, "generated");
  const text = formatProject(after, before?.text);
  // No command may write a PROJECT that the next one refuses.
  parseProject(text);
  draft.write(projectFile, text, "generated");
  if (change.make) {
    const { planGenerated } = await import("./plan-generated.ts");
    notes.push(
      ...(await planGenerated(draft, {}, change.root === undefined ? undefined : { root: change.root })),
    );
  }
  if (change.root !== undefined) formatCreated(change.root, draft);
  owned.record(draft);
  return { changes: draft.changes(), notes, moves };
}

/** The header in `hack/`; without one, that of the project's license. */
function readBoilerplate(tree: Tree, project: Project): string {
  return readHeader(tree) ?? formatBoilerplate(project);
}

/** The header in `hack/`, if there is one. */
export function readHeader(tree: Tree): string | undefined {
  const text = tree.read("hack/boilerplate.ts.txt");
  return text === undefined ? undefined : withPlainLineEnds(text).trimEnd();
}

/** Only `init` writes `package.json`; it is the user's from then on. */
const noPackages: PackageSpecifiers = { runtime: "", cluster: "", simulation: "", tsbuilder: "" };

// From a project's description to its files. `planProjectChange` compares the blueprints of two descriptions, which
// plugins contribute as data: `typescript` and `kustomize` are tsbuilder's own, `contributed` asks third-party plugins,
// and `optional` has plugins of tsbuilder that are contributed in the same way.
import type { PackageSpecifiers, Plugin, ScaffoldInputs } from "./contract/plugin.ts";
import type { PluginCall } from "./contributed/run-executables.ts";
import type { PluginPlan } from "./contributed/plan-plugins.ts";
import { type Project, formatBoilerplate, hasWebhooks, isSameResource } from "../project/project.ts";
import { type PackageManager, npm } from "../project/package-manager.ts";
import { formatProject, parseProject, projectFile } from "../project/store.ts";
import { type Blueprint, emptyBlueprint, joinBlueprints } from "../scaffold/blueprint.ts";
import { Draft, type Plan, type Tree } from "../scaffold/tree.ts";
import { OwnedFiles } from "../scaffold/owned-files.ts";
import { mergeJson } from "../scaffold/merge.ts";
import { planScaffold } from "../scaffold/plan.ts";
import { withPlainLineEnds } from "../shared/text.ts";
import { kustomize } from "./kustomize/kustomize.ts";
import { createApi, createWebhook } from "./typescript/create-api.ts";
import { init } from "./typescript/init.ts";
import { packagesOf } from "./typescript/reference-templates.ts";

/** A change from one project description to another. */
export interface ProjectChange {
  /** The root folder of the project, from which its plugins are found. */
  readonly folder: string;
  readonly tree: Tree;
  /** Undefined for a new project. */
  readonly before: { readonly project: Project; readonly text: string } | undefined;
  readonly after: Project;
  /** The text of a custom license header. */
  readonly boilerplate?: string;
  readonly packages?: PackageSpecifiers;
  /** Installs the packages. Default: npm. */
  readonly manager?: PackageManager;
  /** The path of the project in its git repository, if it is not the root. */
  readonly place?: string | undefined;
  /** Additional files that no template renders. */
  readonly extraFiles?: ReadonlyMap<string, string | Uint8Array>;
  /** Parts that replace those with the same key, and others: what an import takes from another project. */
  readonly imported?: (inputs: ScaffoldInputs) => Blueprint;
  /** Keys of parts to overwrite although their files exist. */
  readonly rewrite?: readonly string[];
  /** Overwrites and deletes files that the user edited. */
  readonly force?: boolean;
  /** Leaves files that would be deleted if the user edited them, and what they import. */
  readonly keep?: boolean;
  /** The command for executable plugins. */
  readonly pluginCall?: PluginCall | undefined;
  /** Adds to the draft what is generated from the changed project, and returns notes. */
  readonly generate?: ((draft: Draft) => Promise<string[]>) | undefined;
  /** For a project that is scaffolded anew, to compare: the existing one, and whether its plugins run. */
  readonly existing?: { readonly tree: Tree; readonly plugins: "run" | "replay" };
}

/** The operator's program: package, sources, tests and tooling. */
const typescript: Plugin = { init, createApi, createWebhook };

/** In the order in which their files are reported. */
const plugins: readonly Plugin[] = [typescript, kustomize];

/** Only `init` writes these to `package.json`, which is the user's from then on. */
const noPackages: PackageSpecifiers = { runtime: "", cluster: "", simulation: "", tsbuilder: "" };

/**
 * Plans all changes of files that follow from a change of the project's description: compares the blueprints of both
 * descriptions, then updates `PROJECT`, has plugins and generators add their files, and records what was written.
 */
export async function planProjectChange(change: ProjectChange): Promise<Plan> {
  const { tree, before, packages = noPackages, manager = npm, place } = change;
  const after = prunePlugins(change.after);
  const draft = new Draft(tree);
  const owned = OwnedFiles.read(tree);
  const inputs = {
    boilerplate: change.boilerplate ?? readBoilerplate(tree, after),
    packages,
    manager,
    place,
  };
  const blueprint = joinBlueprints(
    describeProject(after, inputs),
    change.imported?.(inputs) ?? emptyBlueprint,
  );
  const ownBefore = before
    ? describeProject(before.project, { ...inputs, boilerplate: readBoilerplate(tree, before.project) })
    : emptyBlueprint;
  const plugins =
    after.plugins.length > 0 || (before?.project.plugins ?? []).length > 0
      ? await planContributions({ ...change, owned }, after, blueprint, inputs.boilerplate)
      : undefined;
  plugins?.start(draft);
  const { notes, moves } = planScaffold(draft, {
    before: plugins ? joinBlueprints(ownBefore, plugins.before) : ownBefore,
    after: plugins ? joinBlueprints(blueprint, plugins.after) : blueprint,
    owned,
    rewrite: new Set(change.rewrite),
    force: change.force ?? false,
    keep: change.keep ?? false,
  });
  movePackages(draft, owned, before?.project, after, { keep: change.keep ?? false });
  for (const [path, content] of change.extraFiles ?? []) draft.write(path, content, "generated");
  const text = formatProject(after, before?.text);
  // No command may write a PROJECT that the next one rejects.
  parseProject(text);
  draft.write(projectFile, text, "generated");
  const finished = plugins?.finish(draft);
  if (finished) {
    notes.push(...finished.notes);
    const { path, text: record } = finished.record;
    if (record === undefined) draft.remove(path);
    else draft.write(path, record, "generated");
  }
  if (change.generate) notes.push(...(await change.generate(draft)));
  owned.record(draft, finished?.edited);
  return { changes: draft.changes(), notes, moves };
}

/** Adds to `package.json` the packages that templates need, and removes those that they need no longer, unless files are kept. */
function movePackages(
  draft: Draft,
  owned: OwnedFiles,
  before: Project | undefined,
  after: Project,
  { keep }: { readonly keep: boolean },
): void {
  const file = "package.json";
  const text = draft.read(file);
  const former = before ? packagesOf(before) : {};
  const [base, ours] = [former, { ...(keep && former), ...packagesOf(after) }].map((dependencies) =>
    JSON.stringify({ dependencies }),
  ) as [string, string];
  const moved = text === undefined || base === ours ? undefined : mergeJson(base, ours, text);
  if (text === undefined || moved === undefined || areSameJson(text, moved.text)) return;
  draft.write(file, moved.text);
  owned.carry(file, file, text, moved.text);
}

/** Returns whether two texts differ in their form at most, which is the user's. */
function areSameJson(one: string, other: string): boolean {
  return JSON.stringify(JSON.parse(one)) === JSON.stringify(JSON.parse(other));
}

/** Removes plugins' settings of kinds that the project no longer has, and plugins without any kind left. */
function prunePlugins(project: Project): Project {
  if (project.plugins.length === 0) return project;
  const plugins = project.plugins
    .map((use) => ({
      ...use,
      resources: use.resources.filter((used) =>
        project.resources.some((resource) => isSameResource(used, resource)),
      ),
    }))
    .filter((use) => use.isInLayout || use.resources.length > 0);
  return { ...project, plugins };
}

/** Plans the contributions of third-party plugins. Loaded only for projects that have some. */
async function planContributions(
  change: ProjectChange & { readonly owned: OwnedFiles },
  project: Project,
  own: Blueprint,
  boilerplate: string,
): Promise<PluginPlan> {
  const { planPlugins, replayPlugins } = await import("./contributed/plan-plugins.ts");
  const { folder, tree, extraFiles, existing, pluginCall: call, force = false, keep = false, owned } = change;
  if (existing?.plugins === "replay") return replayPlugins(existing.tree);
  return planPlugins({
    root: folder,
    tree: existing?.tree ?? tree,
    isAnew: existing !== undefined,
    project,
    boilerplate,
    own,
    extraPaths: extraFiles?.keys() ?? [],
    call,
    owned,
    force,
    keep,
  });
}

/** The blueprint of a project; it depends only on the description, not on the commands that led to it. */
export function describeProject(project: Project, inputs: ScaffoldInputs): Blueprint {
  return joinBlueprints(
    ...plugins.map((plugin) => plugin.init(project, inputs)),
    ...project.resources.flatMap((resource) => [
      ...plugins.map((plugin) => plugin.createApi(project, resource, inputs)),
      ...(hasWebhooks(resource)
        ? plugins.map((plugin) => plugin.createWebhook(project, resource, inputs))
        : []),
    ]),
  );
}

/** Reads the header in `hack/`; without one, formats that of the project's license. */
function readBoilerplate(tree: Tree, project: Project): string {
  return readHeader(tree) ?? formatBoilerplate(project);
}

/** Reads the header in `hack/`, if there is one. */
export function readHeader(tree: Tree): string | undefined {
  const text = tree.read("hack/boilerplate.ts.txt");
  return text === undefined ? undefined : withPlainLineEnds(text).trimEnd();
}

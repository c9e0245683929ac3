// The plugins that `--plugins` may name (`findPlugin`), and those that `tsbuilder plugins` lists (`listPlugins`).

import { readFileSync } from "node:fs";
import { type PluginUse, checkPluginKey } from "../../project/project.ts";
import { pluginKey } from "../../project/store.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { didYouMean } from "../../shared/text.ts";
import { loadOptional, optionalKeys, ownPackage } from "../optional/index.ts";
import type { PluginCommand } from "../contract/define-plugin.ts";
import {
  type LoadedPlugin,
  allow,
  findPackage,
  isAllowed,
  isFolder,
  listPluginPackages,
  loadPlugin,
  pluginPackagePattern,
  requireAllowed,
  requirePackage,
} from "./load-plugin.ts";
import { findExecutable, listExecutables, loadExecutable } from "./executables.ts";
import { loadPluginOfProject } from "./plan-plugins.ts";

/** Values of `--plugins` that mean tsbuilder's own layout. */
export const ownKeys: ReadonlySet<string> = new Set([pluginKey]);

/** Hints for kubebuilder's own plugins, by the first word of their keys. */
const kubebuilderHints: Readonly<Record<string, string>> = {
  go: "omit it: TypeScript and kustomize are built in",
  kustomize: "omit it: TypeScript and kustomize are built in",
  base: "omit it: TypeScript and kustomize are built in",
  helm: "use tsbuilder chart for a Helm chart",
  autoupdate: "use --plugins autoupdate.tsbuilder.dev/v1, with --update-from",
  grafana: "use --plugins grafana.tsbuilder.dev/v1",
  "deploy-image": "use tsbuilder create api --image IMAGE",
};

/**
 * Finds the plugin that a value of `--plugins` names: by its key, its package, or the path of its folder. Typing a
 * package or a path allows its code to run. A key does not, since any installed package can contain it. Throws a
 * TsbuilderError if there is no such plugin, or if its code may not run.
 */
export function findPlugin(value: string, root: string, command: PluginCommand): LoadedPlugin {
  if (isFolder(value) || pluginPackagePattern.test(value)) {
    allow(requirePackage(value, root));
    return loadPlugin(value, root);
  }
  const optional = loadOptional(value);
  if (optional) return optional;
  const hint = kubebuilderHints[/^([^./]*)(?:(?:\.\w+)*\.kubebuilder\.io)?\//u.exec(value)?.[1] ?? ""];
  const candidates = listPluginPackages(root).filter((name) => mentionsKey(name, root, value));
  const mayRun = (name: string): boolean => isAllowed(requirePackage(name, root));
  const plugins = candidates.filter(mayRun).flatMap((name) => loadUnlessBroken(name, root));
  const found = plugins.find(({ definition }) => definition.key === value);
  if (found) return found;
  for (const name of candidates) requireAllowed(name, requirePackage(name, root));
  if (hint === undefined) checkPluginKey(value);
  if (findExecutable(value) !== undefined) return loadExecutable(value, root, command);
  if (hint !== undefined) {
    throw new TsbuilderError(`"${value}" is a kubebuilder plugin`, { code: "INVALID_ARGUMENT", hint });
  }
  const meant = didYouMean(value, optionalKeys);
  throw new TsbuilderError(`plugin "${value}" not found`, {
    code: "NOT_FOUND",
    hint:
      meant === undefined
        ? "install its package, tsbuilder-plugin-NAME, or its executable, or name the path of its folder; tsbuilder plugins lists those that are there"
        : `did you mean "${meant}"?`,
  });
}

/** Returns whether the code of a package contains the key: no other package can have the plugin, so no other is run. */
function mentionsKey(name: string, root: string, key: string): boolean {
  const found = unlessBroken(() => findPackage(name, root));
  return found !== undefined && readFileSync(found.entry, "utf8").includes(key);
}

/** Loads a plugin; returns an empty list if that fails, since then it is not the one that the user named. */
const loadUnlessBroken = (name: string, root: string): LoadedPlugin[] => {
  const plugin = unlessBroken(() => loadPlugin(name, root));
  return plugin === undefined ? [] : [plugin];
};

function unlessBroken<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof TsbuilderError) return undefined;
    throw error;
  }
}

/** A line of `tsbuilder plugins`. */
export interface ListedPlugin {
  readonly key: string;
  readonly version?: string;
  /** The package or folder that it comes from. */
  readonly source: string;
  readonly summary?: string;
  /** The parts of the project to which it contributes; absent if it is not used. */
  readonly use?: string;
  /** The functions that contribute. */
  readonly contributes?: readonly string[];
  readonly deprecated?: string;
  /** False if its code may not run yet: then only what its package.json says is known. */
  readonly allowed?: false;
  /** The reason why it can't be used. */
  readonly error?: string;
}

/**
 * Lists tsbuilder's own layout, the plugins of a project, and other installed ones. Code that the user has not allowed is
 * not run: the plugin is listed with what its package.json says. One that can't be loaded is listed with the error.
 */
export function listPlugins(uses: readonly PluginUse[], root: string, version: string): ListedPlugin[] {
  const used = uses.map((use) =>
    describeOrError(use.key, use.package ?? "an executable", () => ({
      ...(describeUnallowed(use.key, use.package, root) ?? describe(loadPluginOfProject(use, root))),
      use: use.isInLayout ? "project" : use.resources.map(({ kind }) => kind).join(", "),
    })),
  );
  const installed = listPluginPackages(root).filter((name) => !uses.some((use) => use.package === name));
  const ours: ListedPlugin = {
    key: pluginKey,
    version,
    source: "built in",
    summary: "TypeScript and kustomize",
    use: "project",
  };
  const executables = listExecutables().filter((key) => !uses.some((use) => use.key === key));
  const optional = optionalKeys.filter((key) => !uses.some((use) => use.key === key));
  return [
    ours,
    ...used,
    ...optional.flatMap((key) => loadOptional(key) ?? []).map(describe),
    ...installed.map((name) =>
      describeOrError(
        name,
        name,
        () => describeUnallowed(name, name, root) ?? describe(loadPlugin(name, root)),
      ),
    ),
    ...executables.map((key) =>
      describeOrError(key, "an executable", () => describe(loadExecutable(key, root))),
    ),
  ];
}

function describeUnallowed(key: string, source: string | undefined, root: string): ListedPlugin | undefined {
  const found = source === undefined || source === ownPackage ? undefined : requirePackage(source, root);
  if (found === undefined || isAllowed(found)) return undefined;
  const { version, description: summary } = found;
  return { key, version, source: source!, allowed: false, ...(summary === undefined ? {} : { summary }) };
}

function describe({ definition, source, found, executable }: LoadedPlugin): ListedPlugin {
  const { key, summary, deprecated } = definition;
  if (executable !== undefined) return { key, source: executable, summary };
  const contributes = (["init", "createApi", "createWebhook"] as const).filter(
    (name) => definition[name] !== undefined,
  );
  return {
    key,
    version: found.version,
    source,
    summary,
    contributes,
    ...(deprecated === undefined ? {} : { deprecated }),
  };
}

function describeOrError(key: string, source: string, read: () => ListedPlugin): ListedPlugin {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TsbuilderError)) throw error;
    return { key, source, error: error.message };
  }
}

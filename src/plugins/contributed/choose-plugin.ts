import { readFileSync } from "node:fs";
import { checkPluginKey } from "../../project/project.ts";
import { pluginKey } from "../../project/store.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { didYouMean } from "../../shared/text.ts";
import { loadOptional, optionalKeys } from "../optional/index.ts";
import type { PluginCommand } from "../contract/define-plugin.ts";
import { allow, isAllowed, requireAllowed } from "./allowed-code.ts";
import { findExecutable, loadExecutable } from "./load-executable.ts";
import { findPackage, isFolder, listPluginPackages, pluginPackagePattern } from "./find-package.ts";
import { type LoadedPlugin, loadPlugin, requirePackage } from "./load-plugin.ts";

/** Values of `--plugins` that mean tsbuilder's own layout. */
export const ownKeys: ReadonlySet<string> = new Set([pluginKey]);

/** Hints for kubebuilder's own plugins, by the first word of their keys. */
const builtIn: Readonly<Record<string, string>> = {
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
 * package or a path allows its code to run. A key does not, since any installed package can contain it.
 */
export function findPlugin(value: string, root: string, command: PluginCommand): LoadedPlugin {
  if (isFolder(value) || pluginPackagePattern.test(value)) return allowAndLoad(value, root);
  const own = loadOptional(value);
  if (own) return own;
  const hint = builtIn[/^([^./]*)(?:(?:\.\w+)*\.kubebuilder\.io)?\//u.exec(value)?.[1] ?? ""];
  const named = listPluginPackages(root).filter((name) => mentions(name, root, value));
  const mayRun = (name: string): boolean => isAllowed(requirePackage(name, root));
  const plugins = named.filter(mayRun).flatMap((name) => loadIfWhole(name, root));
  const found = plugins.find(({ definition }) => definition.key === value);
  if (found) return found;
  for (const name of named) requireAllowed(name, requirePackage(name, root));
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

function allowAndLoad(source: string, root: string): LoadedPlugin {
  allow(requirePackage(source, root));
  return loadPlugin(source, root);
}

/** Returns whether the code of a package contains the key: no other package can have the plugin, so no other is run. */
function mentions(name: string, root: string, key: string): boolean {
  const found = unlessBroken(() => findPackage(name, root));
  return found !== undefined && readFileSync(found.entry, "utf8").includes(key);
}

/** Loads a plugin; none if that fails, since then it is not the wanted one. */
const loadIfWhole = (name: string, root: string): LoadedPlugin[] => {
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

import type { PluginUse } from "../../project/project.ts";
import { pluginKey } from "../../project/store.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { loadOptional, optionalKeys, ownPackage } from "../optional/index.ts";
import { isAllowed } from "./allowed-code.ts";
import { listExecutables, loadExecutable } from "./load-executable.ts";
import { listPluginPackages } from "./find-package.ts";
import { type LoadedPlugin, loadPlugin, requirePackage } from "./load-plugin.ts";
import { loadUsed } from "./plan-plugins.ts";

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
  /** False if its code may not run yet: then only the facts in its package.json are known. */
  readonly allowed?: false;
  /** The reason why it can't be used. */
  readonly error?: string;
}

/**
 * Lists the plugins of a project, tsbuilder's own first, and other installed ones. Does not run code that the user has
 * not allowed: then only the facts in package.json are listed.
 */
export function listPlugins(uses: readonly PluginUse[], root: string, version: string): ListedPlugin[] {
  const used = uses.map((use) =>
    orError(use.key, use.package ?? "an executable", () => ({
      ...(describeUnallowed(use.key, use.package, root) ?? describe(loadUsed(use, root))),
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
      orError(name, name, () => describeUnallowed(name, name, root) ?? describe(loadPlugin(name, root))),
    ),
    ...executables.map((key) => orError(key, "an executable", () => describe(loadExecutable(key, root)))),
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

function orError(key: string, source: string, read: () => ListedPlugin): ListedPlugin {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TsbuilderError)) throw error;
    return { key, source, error: error.message };
  }
}

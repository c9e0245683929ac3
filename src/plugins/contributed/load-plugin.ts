import { isObject } from "@tsbuilder/apimachinery/json";
import { createRequire } from "node:module";
import { checkPluginKey } from "../../project/project.ts";
import { pluginKey } from "../../project/store.ts";
import { packageManagerOf } from "../../project/package-manager.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { didYouMean, shorten } from "../../shared/text.ts";
import type { PluginCommand, PluginDefinition, PluginFlag } from "../contract/define-plugin.ts";
import { requireAllowed } from "./allowed-code.ts";
import { findPackage, type FoundPackage, isFolder } from "./find-package.ts";
import { messageOf, pluginError } from "./plugin-error.ts";

/** A plugin with the package that it comes from. */
export interface LoadedPlugin {
  readonly definition: PluginDefinition;
  /** As in `PROJECT`: the name of the package, or the path of its folder. */
  readonly source: string;
  readonly found: FoundPackage;
  /** The path of the executable, for a plugin that speaks kubebuilder's protocol. */
  readonly executable?: string;
}

/** Loads the plugin of a package, which runs its code if the user has allowed that, and checks its form. */
export function loadPlugin(source: string, root: string): LoadedPlugin {
  const found = requirePackage(source, root);
  requireAllowed(source, found);
  return { definition: checkDefinition(source, load(source, found)), source, found };
}

/** Finds the package of a plugin without running its code. */
export function requirePackage(source: string, root: string): FoundPackage {
  const found = findPackage(source, root);
  if (!found) {
    throw new TsbuilderError(`plugin "${source}" is not installed`, {
      code: "NOT_FOUND",
      hint: isFolder(source)
        ? `there is no package in that folder, which counts from the project's`
        : `install it: ${packageManagerOf(root).addForDevelopment} ${source}`,
    });
  }
  return found;
}

function load(source: string, { entry }: FoundPackage): unknown {
  try {
    const module = createRequire(entry)(entry) as unknown;
    return isObject(module) && "default" in module ? module["default"] : module;
  } catch (cause) {
    const isAsync = isObject(cause) && cause["code"] === "ERR_REQUIRE_ASYNC_MODULE";
    throw pluginError(
      source,
      isAsync ? "it awaits at its top level" : `it can't be loaded: ${messageOf(cause)}`,
      {
        cause,
      },
    );
  }
}

const functions = ["init", "createApi", "createWebhook", "edit"] as const;
const fields = ["key", "summary", "deprecated", "templates", "flags", ...functions];

function checkDefinition(source: string, value: unknown): PluginDefinition {
  if (!isObject(value)) throw pluginError(source, "its default export is not a plugin");
  // A copy: later changes of the original have no effect.
  const definition = { ...value } as Record<keyof PluginDefinition, unknown>;
  const { key, summary, deprecated, templates, flags = {} } = definition;
  if (typeof key !== "string") throw pluginError(source, 'it has no "key"');
  const wrong = (what: string): TsbuilderError => pluginError(source, what);
  try {
    checkPluginKey(key);
  } catch (error) {
    throw wrong((error as Error).message);
  }
  if (key === pluginKey) throw wrong(`its key "${key}" is the key of tsbuilder itself`);
  const stray = Object.keys(definition).find((field) => !fields.includes(field));
  if (stray !== undefined) {
    const meant = didYouMean(stray, fields);
    throw wrong(
      `it has the unknown field "${shorten(stray)}"${meant === undefined ? "" : `; did it mean "${meant}"?`}`,
    );
  }
  if (typeof summary !== "string" || summary === "") throw wrong('it has no "summary"');
  if (deprecated !== undefined && typeof deprecated !== "string") throw wrong('its "deprecated" is not text');
  if (templates !== undefined && typeof templates !== "string" && !(templates instanceof URL))
    throw wrong('its "templates" is neither a path nor a URL');
  for (const name of functions) {
    if (definition[name] !== undefined && typeof definition[name] !== "function")
      throw wrong(`its "${name}" is not a function`);
  }
  if (!isObject(flags)) throw wrong('its "flags" are not an object');
  for (const [name, flag] of Object.entries(flags)) checkFlag(name, flag, wrong);
  return definition as unknown as PluginDefinition;
}

const commands: readonly PluginCommand[] = ["init", "create api", "create webhook", "edit"];

const flagFields: readonly string[] = [
  "type",
  "summary",
  "commands",
  "placeholder",
  "default",
  "choices",
  "pattern",
  "required",
  "prompt",
];

function checkFlag(name: string, flag: unknown, wrong: (what: string) => TsbuilderError): void {
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/u.test(name) || name.startsWith("no-"))
    throw wrong(`its flag "${shorten(name)}" needs a name like "dashboard-folder"`);
  if (!isObject(flag)) throw wrong(`its flag --${name} is not an object`);
  const stray = Object.keys(flag).find((field) => !flagFields.includes(field));
  if (stray !== undefined) throw wrong(`its flag --${name} has the unknown field "${shorten(stray)}"`);
  const {
    type,
    summary,
    commands: takenBy,
    choices,
    pattern,
  } = flag as Partial<Record<keyof PluginFlag, unknown>>;
  if (!["string", "boolean", "number", "list"].includes(String(type)))
    throw wrong(`its flag --${name} has no type: string, boolean, number or list`);
  if (typeof summary !== "string") throw wrong(`its flag --${name} has no "summary"`);
  if (
    !Array.isArray(takenBy) ||
    takenBy.length === 0 ||
    !takenBy.every((one) => commands.includes(one as never))
  )
    throw wrong(`its flag --${name} needs "commands", some of ${commands.join(", ")}`);
  if (choices !== undefined && !(Array.isArray(choices) && choices.every((one) => typeof one === "string")))
    throw wrong(`its flag --${name} has choices that are not texts`);
  if (pattern !== undefined && !(pattern instanceof RegExp))
    throw wrong(`its flag --${name} has a pattern that is no regular expression`);
  const given = (flag as Partial<PluginFlag>).default;
  const expected = { string: "string", boolean: "boolean", number: "number" }[String(type)];
  if (given !== undefined && typeof given !== expected)
    throw wrong(`its flag --${name} has a default that is not of its type`);
}

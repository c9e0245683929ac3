// Parts of tsbuilder that users add with `--plugins`. They use the interface for third-party plugins.

import type { PluginDefinition } from "../contract/define-plugin.ts";
import { autoupdate } from "./autoupdate.ts";
import { grafana } from "./grafana.ts";

/** The package of these plugins in `PROJECT`. */
export const ownPackage = "tsbuilder";
const optional: readonly PluginDefinition[] = [grafana, autoupdate];
export const optionalKeys: readonly string[] = optional.map(({ key }) => key);

/** The version of that package in records; not tsbuilder's, so that they change only with the version in a plugin's key. */
const version = "1.0.0";

/** Loads one of these plugins by its key, as if from a package; undefined for the key of another plugin. */
export function loadOptional(key: string) {
  const definition = optional.find((plugin) => plugin.key === key);
  if (!definition) return undefined;
  return {
    definition,
    source: ownPackage,
    found: { name: ownPackage, version, folder: "", entry: "" },
  };
}

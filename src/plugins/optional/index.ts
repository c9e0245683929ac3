// Parts of tsbuilder that users add with `--plugins`. They use the interface for third-party plugins.

import type { PluginDefinition } from "../contract/define-plugin.ts";
import { autoupdate } from "./autoupdate.ts";
import { grafana } from "./grafana.ts";

/** Parts of tsbuilder itself that are made like third-party plugins. */
const optional: readonly PluginDefinition[] = [grafana, autoupdate];

/** The package of these plugins in `PROJECT`. */
export const ownPackage = "tsbuilder";

/**
 * The version in records of these plugins. Their keys contain the version of their files, which does not change with
 * each tsbuilder.
 */
const version = "1.0.0";

export const optionalKeys: readonly string[] = optional.map(({ key }) => key);

/** Returns such a plugin in the form of a loaded one. */
export function loadOptional(key: string) {
  const definition = optional.find((one) => one.key === key);
  if (!definition) return undefined;
  return {
    definition,
    source: ownPackage,
    found: { name: ownPackage, version, folder: "", entry: "" },
  };
}

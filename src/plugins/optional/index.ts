import type { PluginDefinition } from "../contributed/define-plugin.ts";
import type { LoadedPlugin } from "../contributed/load-plugin.ts";
import { autoupdate } from "./autoupdate.ts";
import { grafana } from "./grafana.ts";

/** Parts of tsbuilder itself that are made like third-party plugins. */
const optional: readonly PluginDefinition[] = [grafana, autoupdate];

/** What `PROJECT` says for their package. */
export const ownPackage = "tsbuilder";

/** Their keys say which version of the files they contribute: that of tsbuilder changes without a change of theirs. */
const version = "1.0.0";

export const optionalKeys: readonly string[] = optional.map(({ key }) => key);

export function loadOptional(key: string): LoadedPlugin | undefined {
  const definition = optional.find((one) => one.key === key);
  if (!definition) return undefined;
  return {
    definition,
    source: ownPackage,
    found: { name: ownPackage, version, folder: "", entry: "" },
  };
}

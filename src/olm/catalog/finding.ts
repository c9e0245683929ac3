import type { Position } from "../../shared/errors.ts";
import type { RuleFinding } from "../rule-finding.ts";

/** The rules of catalogs; each is an error, since OLM serves no catalog that breaks one. */
export const catalogRules = {
  "yaml-syntax": "every file is YAML",
  "blob-schema": "every document has a schema",
  "package-missing": "channels and bundles belong to a package of the catalog",
  "package-duplicate": "each package is described once",
  "default-channel": "a package's default channel exists",
  "channel-name": "channels have a name, and each is described once",
  "channel-empty": "a channel has entries",
  "channel-head": "one entry of a channel is neither replaced nor skipped: the one that is installed",
  "channel-cycle": "no entry replaces itself, directly or by others",
  "channel-stranded": "every other entry is replaced on the way from the head, or skipped",
  "entry-duplicate": "each entry is once in its channel",
  "entry-bundle": "every entry is a bundle of the catalog",
  "entry-skip-range": "skipRange is a range of versions",
  "entry-skips": "the bundles that an entry skips have names",
  "bundle-duplicate": "each bundle is described once",
  "bundle-channel": "every bundle is in a channel",
  "bundle-image": "every bundle has an image",
  "bundle-package": "a bundle has one property olm.package, with its package and a semantic version",
  "bundle-version": "no two bundles of a package have the same version",
} as const;

export type CatalogFinding = RuleFinding<keyof typeof catalogRules>;

export function finding(
  rule: keyof typeof catalogRules,
  { at }: { readonly at: Position },
  message: string,
  hint: string,
): CatalogFinding {
  return { rule, severity: "error", message, hint, position: at };
}

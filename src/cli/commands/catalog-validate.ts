import { statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { everythingBelow } from "../../scaffold/tree.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { defineCommand } from "../command.ts";
import { reportFindings } from "../report-findings.ts";

export const catalogValidate = defineCommand({
  summary: "Validate a file-based OLM catalog",
  description:
    "Checks all files of a catalog's folder as a catalog server does: packages, channels and their upgrades, bundles. Exits with 1 if there are errors.",
  flags: {},
  positionals: ["[folder]"],
  examples: ["tsbuilder catalog validate", "tsbuilder catalog validate ./catalog --output json"],
  async run({ positionals, cwd, ui }) {
    const written = positionals[0] ?? "catalog";
    const folder = resolve(cwd, written);
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
      throw new TsbuilderError(`"${written}" is not a folder`, {
        code: "NOT_FOUND",
        hint: "create a catalog with tsbuilder catalog init PACKAGE",
      });
    }
    const { checkCatalog } = await import("../../olm/catalog/check-catalog.ts");
    const root = dirname(folder);
    const findings = checkCatalog(everythingBelow(root), basename(folder));
    return reportFindings("catalog", findings, { root, cwd, ui });
  },
});

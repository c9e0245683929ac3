import { basename, dirname, resolve } from "node:path";
import { defineCommand, flag, invalidArgument } from "../../arguments/command.ts";
import { reportFindings, requireBundle } from "./findings.ts";

export const bundleValidate = defineCommand({
  description:
    "Checks the folder of a bundle by the rules of OLM and of the API server, and prints each finding with its rule, file, line and column. Exits with 1 if there are errors; warnings don't count. Nothing is written, and no image is pulled.",
  flags: {
    "select-optional": flag.list(
      "optional sets of rules to check, too: name=NAME, or suite=operatorframework for all",
      "SET",
    ),
    "list-optional": flag.switch("list the optional sets and their rules"),
    "optional-values": flag.list(
      "values for rules: k8s-version=VERSION reports the APIs that are gone in it as errors",
      "KEY=VALUE",
    ),
    "require-digests": flag.switch("report images without a digest as errors"),
  },
  positionals: ["[folder]"],
  ignored: { "image-builder": "only folders are validated" },
  examples: [
    "tsbuilder bundle validate",
    "tsbuilder bundle validate ./bundle --select-optional suite=operatorframework --output json",
  ],
  async run({ flags, positionals, cwd, ui }) {
    const [{ validateBundle }, { describeSets, selectSets }, { everythingBelow }] = await Promise.all([
      import("../../../olm/validate/validate-bundle.ts"),
      import("../../../olm/validate/rules.ts"),
      import("../../../scaffold/tree.ts"),
    ]);
    if (flags["list-optional"]) {
      ui.print(describeSets().join("\n"));
      return 0;
    }
    const written = positionals[0] ?? "bundle";
    const folder = resolve(cwd, written);
    requireBundle(folder, written);
    const root = dirname(folder);
    const findings = await validateBundle(everythingBelow(root), basename(folder), {
      optional: selectSets(flags["select-optional"]),
      kubernetes: readValues(flags["optional-values"]),
      requireDigests: flags["require-digests"],
    });
    return reportFindings("bundle", findings, { root, cwd, ui });
  },
});

/** The version of Kubernetes in `k8s-version=1.25`. */
function readValues(values: readonly string[]): string | undefined {
  let version: string | undefined;
  for (const value of values) {
    const [, number, patch = ".0"] = /^k8s-version=v?(\d+\.\d+)(\.\d+)?$/u.exec(value) ?? [];
    if (number === undefined) {
      throw invalidArgument(
        `"${value}" is not a value that a rule reads`,
        "use --optional-values k8s-version=1.30",
      );
    }
    version = `${number}${patch}`;
  }
  return version;
}

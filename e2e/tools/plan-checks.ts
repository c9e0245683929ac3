import type { ChangedFiles } from "./changed-files.ts";

/** One command of `npm run ok`. */
export interface Check {
  readonly name: string;
  readonly command: readonly string[];
}

const tsc = ["node_modules/typescript-native/bin/tsc", "-b"];
const lint = ["node_modules/oxlint/bin/oxlint", "--type-aware", "--deny-warnings"];
const format = ["node_modules/oxfmt/bin/oxfmt", "--disable-nested-config", "--check"];
const unused = ["--conditions=@tsbuilder/source", "--import", "tsx", "e2e/tools/unused.ts"];
const vitestArgs = ["node_modules/vitest/vitest.mjs", "run", "--config", ".config/vitest.config.ts"];
const unit = [...vitestArgs, "--project", "unit", "--reporter", "minimal"];

/** All checks, the slowest first. */
export const allChecks: readonly Check[] = [
  { name: "tests", command: unit },
  { name: "unused code", command: unused },
  { name: "types", command: tsc },
  { name: "lint", command: lint },
  { name: "format", command: format },
];

/** The checks that a change needs, on the changed files where possible. Types and unused code need all files. */
export function planChecks({ present, deleted }: ChangedFiles, tests: readonly string[]): Check[] {
  const code = [...present, ...deleted].some((file) =>
    /\.[cm]?[jt]s$|(tsconfig.*|package)\.json$/.test(file),
  );
  const sources = present.filter((file) => /\.[cm]?[jt]s$/.test(file));
  // After a change of the rules, any file may be rejected.
  const linted = present.includes(".oxlintrc.json") ? ["."] : sources;
  const formatted = present.includes(".oxfmtrc.json") ? ["."] : present;
  const checks: readonly (Check & { readonly needed: boolean })[] = [
    { name: "tests", command: [...unit, ...tests], needed: tests.length > 0 },
    { name: "unused code", command: unused, needed: code },
    { name: "types", command: tsc, needed: code },
    {
      name: "lint",
      command: [...lint, "--no-error-on-unmatched-pattern", ...linted],
      needed: linted.length > 0,
    },
    {
      name: "format",
      command: [...format, "--no-error-on-unmatched-pattern", ...formatted],
      needed: formatted.length > 0,
    },
  ];
  return checks.filter(({ needed }) => needed).map(({ name, command }) => ({ name, command }));
}

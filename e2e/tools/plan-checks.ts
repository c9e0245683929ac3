import type { ChangedFiles } from "./changed-files.ts";

/** One command of `npm run ok`. */
export interface Check {
  readonly name: string;
  readonly command: readonly string[];
}

const TSC = ["node_modules/typescript-native/bin/tsc", "-b"];
const LINT = ["node_modules/oxlint/bin/oxlint", "--type-aware", "--deny-warnings"];
const FORMAT = ["node_modules/@biomejs/biome/bin/biome", "format"];
const UNUSED = ["--conditions=@tsbuilder/source", "--import", "tsx", "e2e/tools/unused.ts"];
const TESTS = ["node_modules/vitest/vitest.mjs", "run", "--config", ".config/vitest.config.ts"];
const UNIT = [...TESTS, "--project", "unit", "--reporter", "minimal"];

/** The checks of everything, those that take longest first. */
export const allChecks: readonly Check[] = [
  { name: "tests", command: UNIT },
  { name: "unused code", command: UNUSED },
  { name: "types", command: TSC },
  { name: "lint", command: LINT },
  { name: "format", command: FORMAT },
];

/** The checks that a change needs, and no more of each than it touched. Types and uses hold together everywhere. */
export function planChecks({ present, deleted }: ChangedFiles, tests: readonly string[]): Check[] {
  const code = [...present, ...deleted].some((file) =>
    /\.[cm]?[jt]s$|(tsconfig.*|package)\.json$/.test(file),
  );
  const sources = present.filter((file) => /\.[cm]?[jt]s$/.test(file));
  // Rules that changed may refuse any file.
  const linted = present.includes(".oxlintrc.json") ? ["."] : sources;
  const formatted = present.includes(".biome.json") ? ["."] : present;
  const checks: readonly (Check & { readonly needed: boolean })[] = [
    { name: "tests", command: [...UNIT, ...tests], needed: tests.length > 0 },
    { name: "unused code", command: UNUSED, needed: code },
    { name: "types", command: TSC, needed: code },
    {
      name: "lint",
      command: [...LINT, "--no-error-on-unmatched-pattern", ...linted],
      needed: linted.length > 0,
    },
    {
      name: "format",
      command: [...FORMAT, "--no-errors-on-unmatched", ...formatted],
      needed: formatted.length > 0,
    },
  ];
  return checks.filter(({ needed }) => needed).map(({ name, command }) => ({ name, command }));
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import base from "../../../.config/vitest.config.ts";
import { applyMutant, type Mutant } from "./find-mutants.ts";

/** The unit tests, with one source changed while it is loaded: no file of the checkout is. */
const root = join(import.meta.dirname, "../../..");
const mutant = JSON.parse(process.env["TSBUILDER_MUTANT"] ?? "null") as Mutant | null;

const mutate = {
  name: "mutate",
  enforce: "pre" as const,
  load: (id: string) =>
    mutant && id === join(root, mutant.file) ? applyMutant(readFileSync(id, "utf8"), mutant) : undefined,
};

const unit = base.test!.projects!.find(
  (project) => typeof project === "object" && "test" in project && project.test?.name === "unit",
) as { readonly test: object };

export default defineConfig({
  root,
  test: {
    projects: [{ ...unit, plugins: [mutate], test: { ...unit.test, testTimeout: 60_000, maxWorkers: 1 } }],
  },
});

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { compareCrds } from "../../../src/lifecycle/compare-crds.ts";
import { formatSarif } from "../../../src/lifecycle/format-sarif.ts";
import { reportChanges } from "../../../src/lifecycle/report-changes.ts";
import { classCases, crdWith } from "../../../src/lifecycle/testdata/class-cases.ts";

/** The schema of SARIF 2.1.0 is in an npm package, whose program has the validator that reads such old schemas. */
const schemaPackage = "@microsoft/jest-sarif@1.0.0-beta.0";
const work = mkdtempSync(join(tmpdir(), "tsbuilder-sarif-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

type Validate = ((value: unknown) => boolean) & { readonly errors?: readonly unknown[] | null };

function loadValidator(): Validate | undefined {
  try {
    const args = ["install", "--silent", "--ignore-scripts", "--no-save", "--prefix", work, schemaPackage];
    execFileSync("npm", args, { stdio: "ignore" });
  } catch (error) {
    console.log(`left out: the schema of SARIF: ${(error as Error).message.split("\n")[0]}`);
    return undefined;
  }
  const folder = join(work, "node_modules/@microsoft/jest-sarif");
  const schema = JSON.parse(
    readFileSync(join(folder, "lib/schemas/sarif-2.1.0-rtm.5.json"), "utf8"),
  ) as object;
  const load = createRequire(join(folder, "package.json"));
  const Ajv = load("ajv") as new (options: object) => {
    addMetaSchema(schema: object): void;
    compile(schema: object): Validate;
  };
  const ajv = new Ajv({ schemaId: "auto", unknownFormats: "ignore" });
  ajv.addMetaSchema(load("ajv/lib/refs/json-schema-draft-04.json") as object);
  return ajv.compile(schema);
}

const validate = loadValidator();
const position = { file: "api/v1/thing_types.ts", line: 3, column: 5 };

/** A log with each class of changes, one of which is allowed, and one of which has no place. */
function completeLog(): string {
  const pairs = classCases.map(({ old, next }) => [crdWith(old), crdWith(next)] as const);
  const changes = [...pairs, [crdWith({}), undefined] as const].flatMap(([old, next]) =>
    compareCrds([old], next ? [next] : []),
  );
  const allowed = [{ rule: "field-removed", reason: "nothing read it" }] as const;
  const reported = reportChanges(changes, allowed, ({ rule }) =>
    rule === "crd-removed" ? undefined : position,
  );
  return formatSarif(reported, { folder: "operators/shop/", fallbackFile: "PROJECT", version: "1.2.3" });
}

test.skipIf(!validate)("what api check reports for code scanning has the schema of SARIF 2.1.0", () => {
  const log = completeLog();
  for (const part of ["crd-removed", "suppressions", "bound-narrowed"]) expect(log).toContain(part);
  validate!(JSON.parse(log));
  expect(validate!.errors ?? []).toEqual([]);
});

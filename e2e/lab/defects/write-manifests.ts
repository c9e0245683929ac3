import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { planManifests } from "../../../src/generators/manifests.ts";
import { memoryTree } from "../../../src/scaffold/tree.ts";

/** The folders of the operators, by name. */
export const operators = join(import.meta.dirname, "operators");

/** Writes the manifests of an operator, as `tsbuilder manifests` does, and returns their folder. */
export async function writeManifests(operator: string): Promise<string> {
  const [types, controller] = await Promise.all(
    ["types.ts", "controller.ts"].map((file) => readFile(join(operators, operator, file), "utf8")),
  );
  const plan = await planManifests(
    memoryTree({ "api/v1/types.ts": types!, "src/controller/controller.ts": controller! }),
  );
  if (plan.changes.length === 0) throw new Error(plan.diagnostics.map(({ message }) => message).join("\n"));
  const root = await mkdtemp(join(tmpdir(), "defects-"));
  for (const { path, content = "" } of plan.changes) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return root;
}

import { mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { planManifests } from "../../../src/generators/manifests.ts";
import { memoryTree } from "../../../src/scaffold/tree.ts";

/** The folders of the operators, by name. */
export const operators = join(import.meta.dirname, "operators");

/** Writes the manifests of an operator, as `tsbuilder manifests` does, and returns their folder. */
export async function writeManifests(operator: string): Promise<string> {
  const files: Record<string, string> = {};
  for (const name of await readdir(join(operators, operator)))
    if (/^\w.*\.ts$/u.test(name) && name !== "exam.ts")
      files[`api/${name}`] = await readFile(join(operators, operator, name), "utf8");
  const plan = await planManifests(memoryTree(files));
  if (plan.changes.length === 0) throw new Error(plan.diagnostics.map(({ message }) => message).join("\n"));
  const root = await mkdtemp(join(tmpdir(), "defects-"));
  for (const { path, content = "" } of plan.changes) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return root;
}

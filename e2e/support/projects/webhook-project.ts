import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { initProject } from "./init-project.ts";
import { run, type Shell } from "../shell.ts";
import { repository } from "../source-imports.ts";

/** Scaffolds a project with two versions of a kind, and with all three webhooks, as a user would. */
export async function scaffoldShop(folder: string, env: Shell["env"]): Promise<Shell> {
  mkdirSync(folder, { recursive: true });
  const project = { folder, env };
  const tsbuilder = (...words: string[]) =>
    run(project, "node", join(repository, "bin/tsbuilder.js"), ...words);
  const order = ["--group", "shop", "--kind", "Order"];
  await initProject(project);
  await tsbuilder("create", "api", ...order, "--version", "v1", "--make=false");
  await tsbuilder("create", "api", ...order, "--version", "v2", "--controller=false", "--make=false");
  await tsbuilder(
    "create",
    "webhook",
    ...order,
    "--version",
    "v1",
    "--defaulting",
    "--programmatic-validation",
  );
  await tsbuilder("create", "webhook", ...order, "--version", "v1", "--conversion", "--spoke", "v2");
  return project;
}

/** Replaces a text that must occur. */
export function editFile({ folder }: Shell, file: string, from: string, to: string): void {
  const path = join(folder, file);
  const text = readFileSync(path, "utf8");
  if (!text.includes(from)) throw new Error(`${file} has no "${from}"`);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
}

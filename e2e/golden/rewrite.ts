import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { goldenProjects, makeGolden } from "./golden-projects.ts";

/** Writes the golden projects anew, or those whose names are given; what git then shows is what a change of the templates does to people's projects. */
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !goldenProjects.includes(name));
if (unknown.length > 0)
  throw new Error(`no golden project ${unknown.join(", ")}: there are ${goldenProjects.join(", ")}`);
// Elsewhere: below the root of a repository, a project would be another.
const work = mkdtempSync(join(tmpdir(), "tsbuilder-golden-"));
for (const name of wanted.length > 0 ? wanted : goldenProjects) {
  const golden = join(import.meta.dirname, name);
  rmSync(golden, { recursive: true, force: true });
  cpSync(await makeGolden(name, work), golden, { recursive: true });
  console.log(`e2e/golden/${name}`);
}
rmSync(work, { recursive: true });

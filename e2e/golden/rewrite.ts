import { goldenProjects, makeGolden } from "./golden-projects.ts";

/** Writes the golden projects anew, or those whose names are given; what git then shows is what a change of the templates does to people's projects. */
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !goldenProjects.includes(name));
if (unknown.length > 0)
  throw new Error(`no golden project ${unknown.join(", ")}: there are ${goldenProjects.join(", ")}`);
for (const name of wanted.length > 0 ? wanted : goldenProjects) {
  await makeGolden(name, new URL(".", import.meta.url).pathname);
  console.log(`e2e/golden/${name}`);
}

import { goldenProjects, makeGolden } from "./golden-projects.ts";

/** Writes the golden projects anew; what git then shows is what a change of the templates does to people's projects. */
for (const name of goldenProjects) {
  await makeGolden(name, new URL(".", import.meta.url).pathname);
  console.log(`e2e/golden/${name}`);
}
